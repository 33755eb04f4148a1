import { describe, expect, it } from "@jest/globals";
import { TierFilter, type TierMatcher } from "../../../src/contracts/tier-filter.js";

const disk = { medium: "STORAGE", locality: "LOCAL" } as const;
const cloud = { medium: "STORAGE", locality: "REMOTE" } as const;
const memory = { medium: "CPU", locality: null } as const;
const unset = { medium: null, locality: null } as const;

describe("TierFilter", () => {
  it.each<[string, TierMatcher[], boolean[]]>([
    ["everything", [{}], [true, true, true, true]],
    ["nothing", [], [false, false, false, false]],
    ["one medium", [{ medium: "STORAGE" }], [true, true, false, true]],
    ["one locality", [{ locality: "REMOTE" }], [false, true, true, true]],
    ["both at once", [{ medium: "STORAGE", locality: "LOCAL" }], [true, false, false, true]],
    ["either of two", [{ locality: "REMOTE", medium: "STORAGE" }, { medium: "CPU" }], [false, true, true, true]],
  ])("may allow %s; what a tier leaves open matches", (_what, matchers, answers) => {
    const filter = new TierFilter(matchers);
    expect([disk, cloud, memory, unset].map((tier) => filter.allows(tier))).toEqual(answers);
  });

  it("has one that allows all", () => {
    expect([disk, cloud, memory, unset, {}].map((tier) => TierFilter.ALL.allows(tier))).not.toContain(false);
  });

  it("does not follow the list it was made of", () => {
    const matcher: { medium?: "CPU" | "STORAGE" } = { medium: "CPU" };
    const matchers = [matcher];
    const filter = new TierFilter(matchers);
    matcher.medium = "STORAGE";
    matchers.pop();
    expect(filter.allows(memory)).toBe(true);
    expect(filter.allows(disk)).toBe(false);
  });
});
