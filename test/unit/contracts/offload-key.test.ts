import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  isOffloadKey,
  makeOffloadKey,
  offloadKeyGroup,
  offloadKeyHash,
  offloadKeyHashHex,
} from "../../../src/contracts/offload-key.js";

const hashes = fc.uint8Array({ minLength: 1, maxLength: 64 });
const groups = fc.integer({ min: 0, max: 0xffffffff });
const invalid = (message: string) => expect.objectContaining({ code: "INVALID_STATE", message });

describe("an offload key", () => {
  it("is the lower-case hex of the hash, then the group as 32 big-endian bits", () => {
    expect(makeOffloadKey(new Uint8Array([0xab, 0x01]), 258)).toBe("ab0100000102");
    expect(makeOffloadKey("AB01")).toBe("ab0100000000");
    expect(makeOffloadKey("aB01", 0xffffffff)).toBe("ab01ffffffff");
  });

  it("comes apart into what it was made of, whatever that was", () => {
    fc.assert(
      fc.property(hashes, groups, (hash, group) => {
        const key = makeOffloadKey(hash, group);
        expect(isOffloadKey(key)).toBe(true);
        expect(offloadKeyHash(key)).toEqual(hash);
        expect(offloadKeyGroup(key)).toBe(group);
        expect(offloadKeyHashHex(key)).toBe(Buffer.from(hash).toString("hex"));
      }),
    );
  });

  it("is the same for bytes and for their hex in any letter case", () => {
    fc.assert(
      fc.property(hashes, groups, fc.func(fc.boolean()), (hash, group, isUpper) => {
        const hex = Buffer.from(hash).toString("hex");
        const mixed = [...hex].map((digit, i) => (isUpper(i) ? digit.toUpperCase() : digit)).join("");
        expect(makeOffloadKey(mixed, group)).toBe(makeOffloadKey(hash, group));
      }),
    );
  });

  it("is another one for another hash or group", () => {
    fc.assert(
      fc.property(hashes, groups, hashes, groups, (a, i, b, j) => {
        const areEqual = i === j && Buffer.from(a).equals(Buffer.from(b));
        expect(makeOffloadKey(a, i) === makeOffloadKey(b, j)).toBe(areEqual);
      }),
    );
  });

  it("is made of the bytes of a view, and does not follow them", () => {
    const bytes = new Uint8Array([9, 1, 2, 9]);
    const key = makeOffloadKey(bytes.subarray(1, 3));
    const hash = offloadKeyHash(key);
    bytes.fill(0);
    expect(key).toBe("010200000000");
    expect(hash).toEqual(new Uint8Array([1, 2]));
    expect(hash.buffer.byteLength).toBe(2);
  });

  it.each(["", "a", "abc", "xy", "0x12", " ab", "ab ", "ab\n", "../..", "ab/cd", "ａｂ"])(
    "refuses the hash %p",
    (hash) => {
      expect(() => makeOffloadKey(hash)).toThrow(
        invalid(`A block hash must be bytes or whole hex bytes, at least one; got ${JSON.stringify(hash)}.`),
      );
    },
  );

  it.each([
    [new Uint8Array(0), '""'],
    [5, "a value of type number"],
    [null, "a value of type object"],
    [undefined, "a value of type undefined"],
    [["ab"], "a value of type object"],
    ["z".repeat(200), JSON.stringify(`${"z".repeat(77)}...`)],
  ])("refuses %p as a hash", (hash, shown) => {
    expect(() => makeOffloadKey(hash as never)).toThrow(
      invalid(`A block hash must be bytes or whole hex bytes, at least one; got ${shown}.`),
    );
  });

  it.each([-1, 1.5, 2 ** 32, NaN, Infinity, "1", null])("refuses the group %p", (group) => {
    expect(() => makeOffloadKey("ab", group as number)).toThrow(
      invalid(`A group index must be an integer from 0 to 4294967295; got ${String(group)}.`),
    );
  });

  it.each(["", "00000000", "AB00000000", "ab0000000", "zz00000000", "ab/000000000", 5, null, undefined])(
    "is not %p",
    (value) => {
      expect(isOffloadKey(value)).toBe(false);
    },
  );
});
