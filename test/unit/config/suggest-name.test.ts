import { describe, expect, it } from "@jest/globals";
import { didYouMean, suggestName } from "../../../src/config/suggest-name.js";

const POLICIES = ["DropStorePolicy", "ThrottledDropPolicy"];

describe("suggestName", () => {
  it.each([
    ["fss", ["example", "fs"], "fs"],
    ["FS", ["example", "fs"], "fs"],
    ["exmaple", ["example", "fs"], "example"],
    ["DropPolicy", POLICIES, "DropStorePolicy"],
    ["ThrottledPolicy", POLICIES, "ThrottledDropPolicy"],
    ["EMADetector", ["EMABackpressureDetector"], "EMABackpressureDetector"],
    ["emaBackpressureDetektor", ["EMABackpressureDetector"], "EMABackpressureDetector"],
  ])("takes %s, of %p, for %s", (written, known, meant) => expect(suggestName(written, known)).toBe(meant));

  it.each([
    ["redis", ["example", "fs"]],
    ["f", ["example", "fs"]],
    ["Dp", POLICIES],
    ["constructor", ["example", "fs", ...POLICIES]],
    ["fs", []],
    ["x".repeat(100_000), ["x".repeat(50)]],
  ])("takes %s, of %p, for none of them", (written, known) => expect(suggestName(written, known)).toBeUndefined());
});

describe("didYouMean", () => {
  it("is a sentence to follow another, or nothing", () => {
    expect(didYouMean("fss", ["fs"])).toBe(" Did you mean fs?");
    expect(didYouMean("redis", ["fs"])).toBe("");
  });
});
