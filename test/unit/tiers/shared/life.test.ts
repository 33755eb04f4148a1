import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { BlockStoreTier } from "../../../../src/tiers/shared/block-store-tier.js";
import { createTierContext } from "../../../../src/testing/create-tier-context.js";
import { jobOf, keyOf, openStore, request, settle, STEP } from "./fake-store.js";

describe("Draining a BlockStoreTier", () => {
  it("waits until the queues are worked off", async () => {
    const { tier } = openStore({ concurrency: 2 });
    tier.submitStore(jobOf([1, 2, 3]));
    let drained: unknown;
    void tier.drainJobs().then((result) => (drained = result));
    for (let i = 0; i < 3; i++) {
      expect(drained).toBeUndefined();
      tier.endWrites();
      await settle();
    }
    expect(drained).toEqual({ unfinished: [] });
    expect(tier.getFinishedJobs()).toHaveLength(1);
  });

  it("names what is unfinished at its deadline, and cancels nothing", async () => {
    const { tier, clock, results } = openStore({ concurrency: 2 });
    const [first, second] = [jobOf([1]), jobOf([2])];
    tier.submitStore(first);
    tier.submitStore(second);
    const draining = tier.drainJobs({ deadlineS: 3 });
    clock.advance(3);
    expect(await draining).toEqual({ unfinished: [first.jobId, second.jobId] });
    tier.endWrites();
    await settle();
    tier.endWrites();
    expect((await results()).map((result) => result.success)).toEqual([true, true]);
  });

  it("waits for the late I/O of a job that was given up", async () => {
    const { tier, clock } = openStore();
    const job = jobOf([1], [40]);
    tier.submitLoad(job);
    clock.advance(30);
    expect(await tier.drainJobs({ deadlineS: 0 })).toEqual({ unfinished: [job.jobId] });
    const draining = tier.drainJobs();
    tier.endReads();
    expect(await draining).toEqual({ unfinished: [] });
  });

  it("does not wait for what is submitted later, so that a busy tier can be drained", async () => {
    const { tier } = openStore({ concurrency: 2 });
    tier.submitStore(jobOf([1]));
    let drained: unknown;
    void tier.drainJobs().then((result) => (drained = result));
    tier.submitLoad(jobOf([2], [40]));
    tier.endWrites();
    await settle();
    expect(drained).toEqual({ unfinished: [] });
    expect(tier.hasPendingWork()).toBe(true);
  });

  it("leaves no timer behind", async () => {
    const { tier, clock } = openStore();
    tier.submitStore(jobOf([1]));
    const draining = tier.drainJobs({ deadlineS: 3 });
    tier.endWrites();
    await draining;
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("Shutting a BlockStoreTier down", () => {
  it("says nothing of look-ups that its end cuts off", async () => {
    const { tier, warnings } = openStore();
    tier.lookup(keyOf(1), request());
    tier.onScheduleEnd(STEP);
    const down = tier.shutdown();
    tier.probes[0]?.answer(Promise.reject(new Error("Terminating worker thread")));
    await down;
    await settle();
    expect(warnings).toEqual([]);
  });

  it("fails what is out, aborts what runs, and waits for it", async () => {
    const { tier } = openStore({ concurrency: 2 });
    tier.submitStore(jobOf([1]));
    tier.submitStore(jobOf([2]));
    let isDown = false;
    void tier.shutdown().then(() => (isDown = true));
    expect(tier.getFinishedJobs().map((result) => result.success)).toEqual([false, false]);
    expect([tier.writes.length, tier.writes[0]?.signal.aborted]).toEqual([1, true]);
    await settle();
    expect(isDown).toBe(false);
    tier.writes[0]?.reject(new Error("aborted"));
    await settle();
    expect(isDown).toBe(true);
  });

  it("does not wait longer than the deadline", async () => {
    const { tier, clock } = openStore();
    tier.submitStore(jobOf([1]));
    const closing = tier.shutdown();
    clock.advance(30);
    await closing;
    expect(tier.getStats()).toMatchObject({ running: 1 });
  });

  it("fails later jobs and misses", async () => {
    const { tier } = openStore();
    await tier.shutdown();
    await tier.shutdown();
    tier.submitStore(jobOf([1]));
    tier.submitLoad(jobOf([], []));
    expect(tier.getFinishedJobs().map(({ success, dropped }) => [success, dropped])).toEqual([
      [false, true],
      [false, undefined],
    ]);
    expect(tier.ask(1)).toBe("miss");
    expect(tier.hasPendingWork()).toBe(false);
  });
});

describe("An author's methods that misbehave", () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  beforeEach(() => void process.on("unhandledRejection", note));
  afterEach(() => void process.off("unhandledRejection", note));

  const misdeeds: [string, () => unknown][] = [
    ["throw", () => fail(new Error("thrown"))],
    ["throw what is no error", () => fail("text")],
    ["reject", () => Promise.reject(new Error("rejected"))],
    ["answer nonsense", () => 42],
  ];

  it.each(misdeeds)("%s: a miss, failed jobs and no unhandled rejection", async (_name, misdeed) => {
    class Misbehaving extends BlockStoreTier {
      exists = misdeed as () => Promise<boolean[]>;
      write = async (): Promise<void> => {};
      read = async (): Promise<void> => {};
      protected override writeBatch = misdeed as () => Promise<never[]>;
      protected override readBatch = misdeed as () => Promise<never[]>;
    }
    const tier = new Misbehaving(createTierContext());
    tier.lookup(keyOf(1), request());
    tier.onScheduleEnd(STEP);
    tier.submitStore(jobOf([1]));
    tier.submitLoad(jobOf([1], [2]));
    await settle();
    expect(tier.getFinishedJobs().map((result) => result.success)).toEqual([false, false]);
    expect(tier.lookup(keyOf(1), request())).toBe("miss");
    expect(unhandled).toEqual([]);
  });

  it.each(misdeeds.slice(0, 3))("%s in write or read: the block fails alone", async (_name, misdeed) => {
    class Misbehaving extends BlockStoreTier {
      exists = async (): Promise<boolean[]> => [];
      write = misdeed as () => Promise<void>;
      read = (key: unknown): Promise<void> => (key === keyOf(1) ? (misdeed() as Promise<void>) : Promise.resolve());
    }
    const tier = new Misbehaving(createTierContext());
    tier.submitStore(jobOf([1]));
    tier.submitLoad(jobOf([0, 1, 2]));
    await settle();
    const results = tier.getFinishedJobs().map(({ success, successfulKeys }) => [success, successfulKeys]);
    expect(results).toContainEqual([false, undefined]);
    expect(results).toContainEqual([false, [keyOf(0), keyOf(2)]]);
    expect(unhandled).toEqual([]);
  });

  it.each([[[-1]], [[NaN]], [["1"]], [[new Error("no")]], [[]], [[1, 1]]])(
    "answer a batch with %p: the block fails",
    async (answer) => {
      class Misbehaving extends BlockStoreTier {
        exists = async (): Promise<boolean[]> => [];
        write = async (): Promise<void> => {};
        read = async (): Promise<void> => {};
        protected override writeBatch = async (): Promise<never> => answer as never;
      }
      const tier = new Misbehaving(createTierContext());
      tier.submitStore(jobOf([1]));
      await settle();
      expect(tier.getFinishedJobs()).toMatchObject([{ success: false, transferBytes: 0 }]);
    },
  );

  it("fail a thousand times: one warning", async () => {
    const { tier, warnings } = openStore();
    for (let i = 0; i < 1000; i++) {
      tier.submitLoad(jobOf([1]));
      tier.endReads();
      await settle();
    }
    expect(warnings).toHaveLength(1);
  });
});

function fail(what: unknown): never {
  throw what;
}
