import { describe, expect, it } from "@jest/globals";
import { byteFault } from "../../../../src/testing/conformance/byte-fault.js";

describe("byteFault", () => {
  it("is null for equal bytes", () => {
    expect(byteFault("it", Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBeNull();
  });

  it("names the first wrong byte and counts them, with the hint if there is one", () => {
    const [actual, expected] = [Uint8Array.of(1, 48, 3, 0), Uint8Array.of(1, 37, 3, 4)];
    expect(byteFault("block 3", actual, expected)).toBe("block 3: byte 1 is 48, not 37 (2 of 4 differ)");
    expect(byteFault("block 3", actual, expected, "why?")).toBe("block 3: byte 1 is 48, not 37 (2 of 4 differ); why?");
  });
});
