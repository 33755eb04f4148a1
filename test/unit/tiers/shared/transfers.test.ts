import { describe, expect, it } from "@jest/globals";
import type { BlockTransfer, TransferOutcome } from "../../../../src/tiers/shared/block-transfer.js";
import { jobOf, keyOf, openStore, settle } from "./fake-store.js";

describe("Transfers of a BlockStoreTier", () => {
  it("brings a block back into another slot", async () => {
    const { tier, slot, results } = openStore();
    await tier.hold(3);
    tier.submitLoad(jobOf([3], [40]));
    tier.endReads();
    expect((await results())[0]?.success).toBe(true);
    expect(slot(40)).toEqual(slot(3));
  });

  it("starts at once, and reports a job when the last of its blocks is done", async () => {
    const { tier, results } = openStore();
    const job = jobOf([1, 2]);
    tier.submitStore(job);
    expect(tier.writes.map((write) => write.key)).toEqual([keyOf(1), keyOf(2)]);
    tier.writes[0]?.resolve();
    expect(await results()).toEqual([]);
    tier.writes[1]?.resolve();
    expect(await results()).toEqual([{ jobId: job.jobId, success: true, transferTime: 0, transferBytes: 32 }]);
    expect(await results()).toEqual([]);
  });

  it("measures from the first start to the last end, on the injected clock", async () => {
    const { tier, clock, results } = openStore({ concurrency: 2 });
    tier.submitStore(jobOf([1, 2]));
    clock.advance(2);
    tier.endWrites();
    await settle();
    clock.advance(3);
    tier.endWrites();
    expect((await results())[0]?.transferTime).toBe(5);
  });

  it("ends an empty job at once, as a success", () => {
    const open = openStore();
    const [store, load] = [jobOf([]), jobOf([])];
    open.tier.submitStore(store);
    open.tier.submitLoad(load);
    const results = open.tier.getFinishedJobs();
    expect(results.map(({ jobId, success }) => [jobId, success])).toEqual([
      [store.jobId, true],
      [load.jobId, true],
    ]);
    expect(open.notified).toBe(2);
  });

  it("counts the bytes of a partly failed store, and fails it", async () => {
    const { tier, results } = openStore();
    tier.submitStore(jobOf([1, 2]));
    tier.writes[0]?.reject(new Error("disk full"));
    tier.writes[1]?.resolve();
    const [result] = await results();
    expect([result?.success, result?.transferBytes, result?.successfulKeys]).toEqual([false, 16, undefined]);
    expect(tier.getStats()).toMatchObject({ bytesWritten: 16, blocksWritten: 1, storeFailures: 1, storesDropped: 0 });
  });

  it("fails a block whose slot does not exist, and keeps working", async () => {
    const { tier, results } = openStore();
    const short = { ...jobOf([1]), blockIds: new Int32Array(0) };
    tier.submitStore(jobOf([1], [64]));
    tier.submitStore(short);
    expect((await results()).map((result) => result.success)).toEqual([false, false]);
    await tier.hold(1);
    expect(tier.stored.has(keyOf(1))).toBe(true);
  });

  it("hands a tier no block whose slot does not exist, and gives the others their own outcomes", async () => {
    const { tier, results } = openStore({ batchBlocks: 4 });
    const seen: number[][] = [];
    const moveBatch = async (batch: readonly BlockTransfer[]): Promise<readonly TransferOutcome[]> => {
      seen.push(batch.map(({ blockId }) => blockId));
      return batch.map(({ blockId }) => (blockId === 3 ? new Error("no") : 16));
    };
    Object.assign(tier, { writeBatch: moveBatch, readBatch: moveBatch });
    tier.submitLoad(jobOf([1, 2, 3, 4], [1, 64, 3, 4]));
    expect((await results())[0]?.successfulKeys).toEqual([1, 4].map(keyOf));
    tier.submitStore(jobOf([1, 2], [-1, 64]));
    expect((await results())[0]?.success).toBe(false);
    expect(seen).toEqual([[1, 3, 4]]);
  });

  it("tells the driver of every job that ends", async () => {
    const open = openStore();
    open.tier.submitStore(jobOf([1]));
    open.tier.submitStore(jobOf([2]));
    open.tier.endWrites();
    await settle();
    expect(open.notified).toBe(2);
  });
});

describe("Stores of one key", () => {
  it("are written once, and both jobs succeed", async () => {
    const { tier, results } = openStore();
    tier.submitStore(jobOf([1, 2]));
    tier.submitStore(jobOf([2]));
    expect(tier.writes).toHaveLength(2);
    tier.endWrites();
    expect((await results()).map((result) => [result.success, result.transferBytes])).toEqual([
      [true, 32],
      [true, 0],
    ]);
    expect(tier.writes).toHaveLength(0);
    expect(tier.getStats()).toMatchObject({ blocksWritten: 2, blocksAlreadyStored: 1, queuedStores: 0 });
  });

  it("do not share a failure: the next job writes for itself", async () => {
    const { tier, results } = openStore();
    const [first, second] = [jobOf([1]), jobOf([1])];
    tier.submitStore(first);
    tier.submitStore(second);
    tier.writes.shift()?.reject(new Error("torn"));
    expect((await results()).map(({ jobId, success }) => [jobId, success])).toEqual([[first.jobId, false]]);
    tier.endWrites();
    expect((await results()).map(({ jobId, success }) => [jobId, success])).toEqual([[second.jobId, true]]);
  });

  it("are never written by two at once, even when the first is past its deadline", async () => {
    const { tier, clock, results } = openStore();
    tier.submitStore(jobOf([1]));
    clock.advance(20);
    const second = jobOf([1]);
    tier.submitStore(second);
    clock.advance(10);
    expect(tier.writes).toHaveLength(1);
    tier.endWrites();
    await settle();
    expect(tier.writes).toHaveLength(1);
    tier.endWrites();
    expect((await results()).filter((result) => result.success).map((result) => result.jobId)).toEqual([second.jobId]);
  });

  it("are written by the next job when the first never came to write", async () => {
    const { tier, clock, results } = openStore({ concurrency: 1 });
    tier.submitStore(jobOf([9]));
    tier.submitStore(jobOf([1, 1]));
    clock.advance(20);
    const last = jobOf([1]);
    tier.submitStore(last);
    clock.advance(10);
    expect(await results()).toHaveLength(2);
    tier.endWrites();
    await settle();
    expect(tier.writes.map((write) => write.key)).toEqual([keyOf(1)]);
    tier.endWrites();
    expect(await results()).toMatchObject([{ jobId: last.jobId, success: true }]);
    expect(tier.getStats()).toMatchObject({ queuedStores: 0, running: 0 });
  });
});

describe("Block events of a BlockStoreTier", () => {
  it("are one for each whole store, with its keys in order, and are handed over once", async () => {
    const { tier } = openStore({}, { enableKvEvents: true, locality: "REMOTE" });
    await tier.hold(2, 1);
    const event = { keys: [keyOf(2), keyOf(1)], medium: "STORAGE", removed: false, locality: "REMOTE" };
    expect(tier.takeEvents()).toEqual([event]);
    expect(tier.takeEvents()).toEqual([]);
  });

  it("are silent about failed stores, loads and empty jobs", async () => {
    const { tier } = openStore({}, { enableKvEvents: true });
    tier.submitStore(jobOf([1, 2]));
    tier.writes[0]?.resolve();
    tier.writes[1]?.reject(new Error("no"));
    tier.submitStore(jobOf([]));
    tier.submitLoad(jobOf([1], [9]));
    await settle();
    tier.endReads();
    await settle();
    expect(tier.takeEvents()).toEqual([]);
  });

  it("are not recorded unless the tier is told to", async () => {
    const { tier } = openStore();
    await tier.hold(1);
    expect(tier.takeEvents()).toEqual([]);
  });

  it.each([Object.create(null), Object.defineProperty({}, "message", { get: () => raise() }), Symbol("s"), undefined])(
    "fails the block, and nothing else, when a write rejects with what cannot be shown",
    async (reason: unknown) => {
      const { tier, results } = openStore();
      tier.submitStore(jobOf([1]));
      tier.writes[0]?.reject(reason as Error);
      expect(await results()).toMatchObject([{ success: false }]);
    },
  );
});

function raise(): never {
  throw new Error("no message either");
}
