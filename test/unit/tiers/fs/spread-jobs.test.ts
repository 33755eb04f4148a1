import { describe, expect, it } from "@jest/globals";
import type { TransferJob } from "../../../../src/contracts/transfer-job.js";
import { keyOf } from "../../../../src/testing/conformance/tier-rig.js";
import { SpreadJobs } from "../../../../src/tiers/fs/spread-jobs.js";

/** Of two shards: even blocks are the first's. */
const spread = (): SpreadJobs => new SpreadJobs((key) => Number.parseInt(key.slice(62, 64), 16) % 2);

const jobOf = (ns: readonly number[], isPromotion: boolean): TransferJob => ({
  jobId: 7,
  keys: ns.map(keyOf),
  blockIds: Int32Array.from(ns, (n) => 10 + n),
  isPromotion,
  reqContext: { reqId: "r" },
  submitTime: 0,
});

describe("SpreadJobs", () => {
  it("gives each shard its blocks with their slots, and passes on what is one shard's alone", () => {
    const jobs = spread();
    const parts = jobs.split(jobOf([1, 2, 3, 4], true));
    expect(parts.map(({ shard, job }) => [shard, job.jobId, job.keys, [...job.blockIds]])).toEqual([
      [1, 7, [keyOf(1), keyOf(3)], [11, 13]],
      [0, 7, [keyOf(2), keyOf(4)], [12, 14]],
    ]);
    const alone = jobOf([2, 4], true);
    expect(spread().split(alone)).toEqual([{ shard: 0, job: alone }]);
    expect(spread().split(jobOf([], true))).toHaveLength(1);
    const result = { jobId: 8, success: true };
    expect(jobs.merge(0, result)).toBe(result);
  });

  it("ends a load in part with the keys that succeeded anywhere, in the order of the job", () => {
    const jobs = spread();
    jobs.split(jobOf([1, 2, 3, 4], true));
    const failed = { jobId: 7, success: false, successfulKeys: [keyOf(3)], transferTime: 1, transferBytes: 10 };
    expect(jobs.merge(1, failed)).toBeNull();
    expect(jobs.merge(0, { jobId: 7, success: true, transferTime: 3, transferBytes: 20 })).toEqual({
      jobId: 7,
      success: false,
      successfulKeys: [keyOf(2), keyOf(3), keyOf(4)],
      transferTime: 3,
      transferBytes: 30,
    });
  });

  it("keeps the slots of the whole job until no part touches them any more", async () => {
    const jobs = spread();
    jobs.split(jobOf([1, 2], false));
    let release = (): void => {};
    const blocksReleased = new Promise<void>((resolve) => (release = resolve));
    jobs.merge(1, { jobId: 7, success: false, blocksReleased });
    const whole = jobs.merge(0, { jobId: 7, success: true });
    let isReleased = false;
    const released = whole?.blocksReleased?.then(() => (isReleased = true));
    await Promise.resolve();
    expect(isReleased).toBe(false);
    release();
    await released;
    expect(isReleased).toBe(true);
  });

  it.each([
    [true, true],
    [false, undefined],
  ])("counts a store as dropped only when no part of it was begun (%s)", (other, dropped) => {
    const jobs = spread();
    jobs.split(jobOf([1, 2], false));
    jobs.merge(1, { jobId: 7, success: false, dropped: true });
    const whole = jobs.merge(0, { jobId: 7, success: false, ...(other && { dropped: true as const }) });
    expect(whole?.dropped).toBe(dropped);
    expect(whole).not.toHaveProperty("successfulKeys");
  });
});
