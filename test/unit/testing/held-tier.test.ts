import { describe, expect, it } from "@jest/globals";
import { createTierContext, HeldTier, ManualClock } from "../../../src/testing/index.js";
import { jobOf, keyOf, request } from "../tiers/shared/fake-store.js";

function openHeld() {
  const clock = new ManualClock();
  let notified = 0;
  const context = createTierContext({ clock, notify: () => void notified++ });
  return {
    tier: new HeldTier(context),
    clock,
    slot: (n: number) => context.primaryKvView.block(n),
    told: () => notified,
  };
}

describe("HeldTier", () => {
  it("ends nothing until it is released, and moves the bytes then", () => {
    const { tier, slot, told } = openHeld();
    const job = jobOf([1]);
    tier.submitStore(job);
    expect([tier.getFinishedJobs(), tier.lookup(keyOf(1), request()), told()]).toEqual([[], "miss", 0]);
    slot(1).fill(7);
    expect(tier.release(job.jobId)).toBe(1);
    expect(tier.getFinishedJobs()).toMatchObject([{ jobId: job.jobId, success: true, transferBytes: 256 }]);
    expect([tier.lookup(keyOf(1), request()), told()]).toEqual(["hit", 1]);
    tier.submitLoad(jobOf([1], [9]));
    tier.release();
    expect(slot(9)).toEqual(slot(1));
  });

  it("fails a job on demand, and moves nothing then", () => {
    const { tier } = openHeld();
    const job = jobOf([1]);
    tier.submitStore(job);
    tier.release(job.jobId, { success: false });
    expect(tier.getFinishedJobs()).toMatchObject([{ success: false, transferBytes: 0 }]);
    expect(tier.lookup(keyOf(1), request())).toBe("miss");
  });

  it("fails a load in part on demand, and always what is not stored", () => {
    const { tier } = openHeld();
    tier.submitStore(jobOf([1, 2]));
    tier.release();
    const [partly, absent] = [jobOf([1, 2], [8, 9]), jobOf([1, 3], [10, 11])];
    tier.submitLoad(partly);
    tier.submitLoad(absent);
    tier.getFinishedJobs();
    tier.release(partly.jobId, { success: false, successfulKeys: [keyOf(2)] });
    tier.release(absent.jobId);
    expect(tier.getFinishedJobs()).toMatchObject([
      { success: false, successfulKeys: [keyOf(2)] },
      { success: false, successfulKeys: [keyOf(1)] },
    ]);
  });

  it("shows what it holds, and what it was ever given", () => {
    const { tier } = openHeld();
    const [store, load] = [jobOf([1]), jobOf([2])];
    tier.submitStore(store);
    tier.submitLoad(load);
    tier.release(store.jobId);
    expect(tier.held).toEqual([{ job: load, isLoad: true }]);
    expect(tier.submitted).toHaveLength(2);
  });

  it("refuses to release what it does not hold", () => {
    const { tier } = openHeld();
    expect(() => tier.release(99)).toThrow(expect.objectContaining({ code: "INVALID_STATE" }));
  });

  it("without holdsDrains, fails what it holds when it is drained, and takes what comes later", async () => {
    const { tier } = openHeld();
    tier.holdsDrains = false;
    const [first, second] = [jobOf([1]), jobOf([2])];
    tier.submitStore(first);
    expect(await tier.drainJobs()).toEqual({ unfinished: [] });
    expect(tier.getFinishedJobs()).toMatchObject([{ jobId: first.jobId, success: false, transferBytes: 0 }]);
    expect(tier.lookup(keyOf(1), request())).toBe("miss");
    tier.submitStore(second);
    tier.release();
    expect(tier.getFinishedJobs()).toMatchObject([{ jobId: second.jobId, success: true }]);
  });

  it("drains when all is released, or names what it holds at the deadline", async () => {
    const { tier, clock } = openHeld();
    const job = jobOf([1]);
    tier.submitStore(job);
    const limited = tier.drainJobs({ deadlineS: 2 });
    const unlimited = tier.drainJobs();
    clock.advance(2);
    expect(await limited).toEqual({ unfinished: [job.jobId] });
    tier.release();
    expect(await unlimited).toEqual({ unfinished: [] });
  });

  it("forgets what is removed, and all at a clear", async () => {
    const { tier } = openHeld();
    tier.submitStore(jobOf([1, 2]));
    tier.release();
    await tier.remove([keyOf(1)]);
    expect([1, 2].map((n) => tier.lookup(keyOf(n), request()))).toEqual(["miss", "hit"]);
    await tier.clear();
    expect(tier.lookup(keyOf(2), request())).toBe("miss");
  });

  it("fails what it holds at shutdown, and what comes later", async () => {
    const { tier } = openHeld();
    tier.submitStore(jobOf([1]));
    await tier.shutdown();
    tier.submitStore(jobOf([2]));
    expect(tier.getFinishedJobs().map((result) => result.success)).toEqual([false, false]);
  });
});
