import { describe, expect, it } from "@jest/globals";
import { BucketHistogram } from "../../../src/metrics/bucket-histogram.js";
import { LookupDelays, type OpenRetries } from "../../../src/metrics/lookup-delays.js";
import { ManualClock } from "../../../src/testing/manual-clock.js";
import { StepRig } from "../orchestrator/step-rig.js";

const countOf = (histogram: BucketHistogram): number => histogram.buckets.at(-1)?.count ?? NaN;

describe("BucketHistogram", () => {
  it("counts a value for every bound that it does not exceed", () => {
    const histogram = new BucketHistogram([1, 5]);
    for (const value of [0.5, 1, 3, 9]) histogram.observe(value);
    expect(histogram.buckets).toEqual([
      { bound: 1, count: 2 },
      { bound: 5, count: 3 },
      { bound: Infinity, count: 4 },
    ]);
    expect(histogram.sum).toBe(13.5);
  });
});

describe("LookupDelays", () => {
  it("times each call, and the whole wait of a request for a key from its first retry", () => {
    const clock = new ManualClock();
    const delays = new LookupDelays();
    const record: OpenRetries = { retriedSince: null };
    const look = (answer: "retry" | "hit" | "miss"): unknown =>
      delays.time(clock, record, () => {
        clock.advance(0.25);
        return answer;
      });
    look("retry");
    clock.advance(2);
    look("retry");
    expect(countOf(delays.async)).toBe(0);
    expect(look("hit")).toBe("hit");
    look("miss");
    expect([countOf(delays.sync), delays.sync.sum]).toEqual([4, 1]);
    expect([countOf(delays.async), delays.async.sum]).toEqual([1, 2.75]);
  });
});

describe("The distributions of a manager", () => {
  it("are filled from the first call on, for the pool and each tier", async () => {
    const rig = new StepRig({ tiers: 2 });
    rig.look(1);
    const { lookups, pool } = rig.manager.distributions();
    expect(lookups.map(({ label }) => label)).toEqual(["0:primary", "1:held", "2:held"]);
    expect(lookups.map(({ delays }) => countOf(delays.sync))).toEqual([0, 0, 0]);
    rig.look(2);
    rig.tiers[1]!.answer = "retry";
    rig.look(3);
    rig.clock.advance(1);
    rig.tiers[1]!.answer = undefined;
    rig.look(3);
    expect(lookups.map(({ delays }) => countOf(delays.sync))).toEqual([3, 3, 3]);
    expect(lookups.map(({ delays }) => delays.async.sum)).toEqual([0, 0, 1]);
    rig.store("w", 4, 5, 6);
    rig.read("w", 4, 5);
    expect([pool.allocation, pool.store, pool.load].map(({ sum }) => sum)).toEqual([3, 48, 32]);
    expect(rig.manager.getStats().primary).toMatchObject({ bytesStored: 48, bytesLoaded: 32 });
    expect(rig.manager.distributions().pool).toBe(pool);
  });
});
