import { describe, expect, it } from "@jest/globals";
import { percentilesOf } from "../../../../src/cli/bench/percentiles.js";

describe("percentilesOf", () => {
  it("names figures that were seen, by nearest rank", () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(percentilesOf(values)).toEqual({ p50: 50, p95: 95, p99: 99 });
  });

  it("has but one figure to name for one value", () => {
    expect(percentilesOf([7])).toEqual({ p50: 7, p95: 7, p99: 7 });
  });

  it("leaves the values in their order", () => {
    const values = [3, 1, 2];
    percentilesOf(values);
    expect(values).toEqual([3, 1, 2]);
  });
});
