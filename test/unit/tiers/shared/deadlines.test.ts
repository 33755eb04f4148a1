import { describe, expect, it } from "@jest/globals";
import { jobOf, keyOf, openStore, settle, STEP } from "./fake-store.js";

describe("The deadline of a job", () => {
  it("fails what waits without starting it, and reports at that moment", () => {
    const { tier, clock } = openStore({ concurrency: 2, deadlineS: 10 });
    const job = jobOf([1, 2]);
    tier.submitStore(job);
    clock.advance(9.9);
    expect(tier.getFinishedJobs()).toEqual([]);
    clock.advance(0.1);
    expect(tier.getFinishedJobs()).toMatchObject([{ jobId: job.jobId, success: false, transferBytes: 0 }]);
    expect(tier.writes).toHaveLength(1);
    expect(tier.getStats()).toMatchObject({ queuedStores: 0, running: 1, overdue: 1 });
  });

  it("aborts what runs, and keeps the slots until that has ended", async () => {
    const { tier, clock } = openStore();
    tier.submitLoad(jobOf([1, 2], [40, 41]));
    clock.advance(30);
    const [result] = tier.getFinishedJobs();
    let isReleased = false;
    void result?.blocksReleased?.then(() => (isReleased = true));
    expect(tier.reads.map((read) => read.signal.aborted)).toEqual([true, true]);
    tier.reads[0]?.reject(new Error("aborted"));
    await settle();
    expect(isReleased).toBe(false);
    tier.reads[1]?.reject(new Error("aborted"));
    await settle();
    expect(isReleased).toBe(true);
  });

  it("lists the keys that were loaded in time", async () => {
    const { tier, clock } = openStore();
    await tier.hold(1, 2);
    tier.submitLoad(jobOf([1, 2], [40, 41]));
    tier.reads[0]?.resolve();
    await settle();
    clock.advance(30);
    expect(tier.getFinishedJobs()).toMatchObject([{ success: false, successfulKeys: [keyOf(1)], transferBytes: 16 }]);
  });

  it("ignores what comes late: no second result, no bytes, no verdict", async () => {
    const { tier, clock, results } = openStore();
    tier.ask(1);
    tier.onScheduleEnd(STEP);
    tier.probes[0]?.answer([false]);
    tier.submitStore(jobOf([1]));
    clock.advance(30);
    expect(await results()).toHaveLength(1);
    tier.endWrites();
    expect(await results()).toEqual([]);
    expect(tier.ask(1)).toBe("miss");
    expect(tier.getStats()).toMatchObject({ bytesWritten: 0, blocksWritten: 0 });
  });

  it("needs no pinning when nothing runs any more", () => {
    const { tier, clock } = openStore({ concurrency: 2 });
    tier.submitStore(jobOf([1]));
    clock.advance(1);
    const waiting = jobOf([2]);
    tier.submitStore(waiting);
    clock.advance(30);
    const result = tier.getFinishedJobs().find(({ jobId }) => jobId === waiting.jobId);
    expect(result).toEqual({ jobId: waiting.jobId, success: false, transferBytes: 0 });
  });

  it("counts from the submission of each job, with one timer for all", async () => {
    const { tier, clock, results } = openStore();
    for (let n = 0; n < 5; n++) {
      tier.submitStore(jobOf([n]));
      clock.advance(1);
    }
    expect(clock.pendingTimers).toBe(1);
    clock.advance(27);
    expect(await results()).toHaveLength(3);
    tier.endWrites();
    expect(await results()).toHaveLength(2);
    expect(clock.pendingTimers).toBe(0);
  });

  it("may be infinite", () => {
    const { tier, clock } = openStore({ deadlineS: Infinity });
    tier.submitStore(jobOf([1]));
    clock.advance(1e9);
    expect(tier.getFinishedJobs()).toEqual([]);
  });
});

describe("A stalled BlockStoreTier", () => {
  it("fails new jobs at once and misses, until some I/O settles", async () => {
    const { tier, clock, results } = openStore({ concurrency: 2 });
    await tier.hold(1);
    tier.submitLoad(jobOf([1, 1], [40, 41]));
    clock.advance(30);
    await results();
    expect(tier.getStats()).toMatchObject({ stalled: 1 });
    tier.submitLoad(jobOf([1], [42]));
    tier.submitStore(jobOf([2]));
    expect(tier.getFinishedJobs().map(({ success, dropped }) => [success, dropped])).toEqual([
      [false, undefined],
      [false, true],
    ]);
    expect(tier.ask(1)).toBe("miss");
    tier.endReads();
    await settle();
    expect(tier.getStats()).toMatchObject({ stalled: 0, overdue: 0, lookupEntries: 0 });
    tier.submitLoad(jobOf([1], [42]));
    tier.endReads();
    expect((await results())[0]?.success).toBe(true);
  });

  it("with writers only, still loads", async () => {
    const { tier, clock, results } = openStore({ concurrency: 3 });
    await tier.hold(1);
    tier.submitStore(jobOf([2, 3, 4]));
    clock.advance(30);
    await results();
    tier.submitStore(jobOf([5]));
    tier.submitLoad(jobOf([1], [40]));
    tier.endReads();
    expect((await results()).map(({ success, dropped }) => [success, dropped])).toEqual([
      [false, true],
      [true, undefined],
    ]);
    expect(tier.getStats()).toMatchObject({ stalled: 0, overdue: 2 });
  });
});
