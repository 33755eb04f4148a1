import { describe, expect, it } from "@jest/globals";
import { jobOf, keyOf, openStore, settle } from "./fake-store.js";

const range = (length: number): number[] => Array.from({ length }, (_, i) => i);

describe("The queues of a BlockStoreTier", () => {
  it("start loads first", async () => {
    const { tier } = openStore({ concurrency: 1 });
    tier.submitStore(jobOf([1]));
    tier.submitStore(jobOf([2]));
    tier.submitLoad(jobOf([3], [40]));
    tier.endWrites();
    await settle();
    expect([tier.reads.length, tier.writes.length]).toEqual([1, 0]);
    tier.endReads();
    await settle();
    expect(tier.writes.map((write) => write.key)).toEqual([keyOf(2)]);
  });

  it("work in the order of submission", async () => {
    const { tier } = openStore({ concurrency: 2 });
    for (const n of [5, 3, 4]) tier.submitStore(jobOf([n]));
    const order: string[] = [];
    while (tier.writes.length > 0) {
      order.push(...tier.writes.map((write) => write.key));
      tier.endWrites();
      await settle();
    }
    expect(order).toEqual([5, 3, 4].map(keyOf));
  });

  it.each([
    [1, 1],
    [2, 1],
    [8, 7],
  ])("of %d slots give stores %d", (concurrency, stores) => {
    const { tier } = openStore({ concurrency });
    tier.submitStore(jobOf(range(20)));
    expect(tier.writes).toHaveLength(stores);
  });

  it("give loads every slot", () => {
    const { tier } = openStore({ concurrency: 3 });
    tier.submitLoad(jobOf(range(5), range(5)));
    expect(tier.reads).toHaveLength(3);
    expect(tier.getStats()).toMatchObject({ running: 3, queuedLoads: 2 });
  });

  it("take a store up to the bound, and drop the next whole", async () => {
    const { tier, results } = openStore({ concurrency: 2, maxQueuedBlocks: 3 });
    tier.submitStore(jobOf([0]));
    tier.submitStore(jobOf([1, 2]));
    const tooMuch = jobOf([3, 4]);
    tier.submitStore(tooMuch);
    tier.submitStore(jobOf([5]));
    expect(tier.getFinishedJobs()).toEqual([{ jobId: tooMuch.jobId, success: false, transferBytes: 0, dropped: true }]);
    expect(tier.getStats()).toMatchObject({ queuedStores: 3, storesDropped: 1, blocksDropped: 2, storeFailures: 0 });
    for (let i = 0; i < 4; i++) {
      tier.endWrites();
      await settle();
    }
    expect((await results()).map((result) => result.success)).toEqual([true, true, true]);
  });

  it("count stores that wait for another of their key", () => {
    const { tier } = openStore({ maxQueuedBlocks: 2 });
    for (let i = 0; i < 5; i++) tier.submitStore(jobOf([1]));
    expect(tier.getStats()).toMatchObject({ queuedStores: 2, storesDropped: 2 });
  });

  it("cut a job into batches, and never mix two jobs in one", () => {
    const { tier } = openStore({ concurrency: 4, batchBlocks: 3 });
    tier.submitLoad(jobOf([0, 1], [0, 1]));
    tier.submitLoad(jobOf([2, 3, 4, 5], [2, 3, 4, 5]));
    expect(tier.getStats()).toMatchObject({ running: 3 });
    const signals = new Set(tier.reads.map((read) => read.signal));
    expect([tier.reads.length, signals.size]).toEqual([6, 2]);
  });

  it("stay in order over many thousand blocks", async () => {
    const { tier } = openStore({ concurrency: 2, maxQueuedBlocks: 10_000 });
    for (const n of range(3000)) tier.submitStore(jobOf([n], [0]));
    const order: string[] = [];
    while (tier.writes.length > 0) {
      order.push(...tier.writes.map((write) => write.key));
      tier.endWrites();
      for (let i = 0; i < 10; i++) await Promise.resolve();
    }
    expect(order).toEqual(range(3000).map(keyOf));
  });
});

describe("The limits of a BlockStoreTier", () => {
  it.each([{ concurrency: 0 }, { batchBlocks: 1.5 }, { maxQueuedBlocks: 0 }, { deadlineS: 0 }, { deadlineS: NaN }])(
    "refuse %p",
    (limits) => {
      const { tier } = openStore(limits);
      expect(() => tier.getFinishedJobs()).toThrow(expect.objectContaining({ code: "INVALID_STATE" }));
    },
  );
});
