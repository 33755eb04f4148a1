import { describe, expect, it } from "@jest/globals";
import type { JobResult } from "../../../src/contracts/transfer-job.js";
import { createTierContext, FaultyTier, HeldTier, ManualClock, type FaultOptions } from "../../../src/testing/index.js";
import { jobOf, keyOf, request } from "../tiers/shared/fake-store.js";

function openFaulty(options: FaultOptions) {
  const clock = new ManualClock();
  let notified = 0;
  const held = new HeldTier(createTierContext({ clock, notify: () => void notified++ }));
  return { held, tier: new FaultyTier(held, options), clock, told: () => notified };
}

/** Stores and loads 40 pairs of blocks, and returns all results. */
function run(options: FaultOptions): { results: JobResult[]; loads: Set<number> } {
  const { held, tier } = openFaulty(options);
  const results: JobResult[] = [];
  const loads = new Set<number>();
  for (let n = 0; n < 40; n++) {
    tier.submitStore({ ...jobOf([n, n + 1]), jobId: n });
    held.release();
    const load = { ...jobOf([n, n + 1]), jobId: 100 + n };
    loads.add(load.jobId);
    tier.submitLoad(load);
    held.release();
    results.push(...tier.getFinishedJobs());
  }
  return { results, loads };
}

describe("FaultyTier", () => {
  it("changes nothing without faults", () => {
    const { results } = run({});
    expect(results).toHaveLength(80);
    expect(results.every((result) => result.success)).toBe(true);
  });

  it("fails a share of the jobs, loads in part too, each in exactly one result", () => {
    const { results, loads } = run({ seed: 3, errorRate: 0.3 });
    expect(new Set(results.map((result) => result.jobId)).size).toBe(80);
    expect(results).toHaveLength(80);
    const failed = results.filter((result) => !result.success);
    expect(failed.length).toBeGreaterThan(8);
    expect(failed.length).toBeLessThan(72);
    const partly = failed.filter((result) => result.successfulKeys !== undefined);
    expect(partly.length).toBeGreaterThan(0);
    expect(partly.every(({ jobId, successfulKeys }) => loads.has(jobId) && successfulKeys?.length === 1)).toBe(true);
  });

  it("does the same for the same seed, and something else for another", () => {
    const outcome = (seed: number) => run({ seed, errorRate: 0.5 }).results;
    expect(outcome(1)).toEqual(outcome(1));
    expect(outcome(1)).not.toEqual(outcome(2));
  });

  it("fails everything at a rate of 1, without a store reaching the tier", () => {
    const { held, tier, told } = openFaulty({ errorRate: 1 });
    tier.submitStore(jobOf([1]));
    expect([held.submitted.length, told()]).toEqual([0, 1]);
    expect(tier.getFinishedJobs()).toMatchObject([{ success: false }]);
    expect(tier.getStats()).toMatchObject({ injectedFaults: 1 });
  });

  it("makes hits misses", () => {
    const { held, tier } = openFaulty({ errorRate: 1 });
    held.submitStore(jobOf([1]));
    held.release();
    expect([held.lookup(keyOf(1), request()), tier.lookup(keyOf(1), request())]).toEqual(["hit", "miss"]);
  });

  it("holds results back on the clock, and tells when they are there", () => {
    const { held, tier, clock, told } = openFaulty({ delayS: 2 });
    tier.submitStore(jobOf([1]));
    held.release();
    expect([tier.getFinishedJobs(), tier.hasPendingWork()]).toEqual([[], true]);
    const before = told();
    clock.advance(2);
    expect(told()).toBe(before + 1);
    expect(tier.getFinishedJobs()).toHaveLength(1);
    expect(tier.hasPendingWork()).toBe(false);
  });

  it("can clear and remove exactly when the tier can", async () => {
    const { held, tier } = openFaulty({});
    held.submitStore(jobOf([1, 2]));
    held.release();
    await tier.remove?.([keyOf(1)]);
    expect([1, 2].map((n) => tier.lookup(keyOf(n), request()))).toEqual(["miss", "hit"]);
    await tier.clear?.();
    expect(tier.lookup(keyOf(2), request())).toBe("miss");
    const unable = new FaultyTier(Object.assign(new HeldTier(createTierContext()), { clear: undefined }));
    expect(typeof unable.clear).toBe("undefined");
  });

  it("delivers what it holds back when it is drained", async () => {
    const { held, tier, clock } = openFaulty({ delayS: 1000 });
    tier.submitStore(jobOf([1]));
    held.release();
    expect(tier.getFinishedJobs()).toEqual([]);
    await tier.drainJobs();
    expect(tier.getFinishedJobs()).toHaveLength(1);
    clock.advance(1000);
    expect(tier.getFinishedJobs()).toEqual([]);
  });
});
