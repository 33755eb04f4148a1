import { byteFault } from "./byte-fault.js";
import type { SuitePart } from "./suite-part.js";
import { keyOf } from "./tier-rig.js";

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

/** A job without a block is a success, with nothing left to say about keys. */
const EMPTY: readonly number[] = [];

export const transferTests: SuitePart = (test, expect) => {
  test("brings many blocks back byte for byte, into any slots", async (rig) => {
    const ns = range(0, 30);
    expect((await rig.store(ns)).success).toBe(true);
    const slots = ns.map((n) => 63 - n);
    expect((await rig.load(ns, slots)).success).toBe(true);
    for (const n of ns) expect(rig.faultOf(n, 63 - n, "did each key get its own slot?")).toBe(null);
  });

  test("keeps the bytes as they were while the store was under way", async (rig) => {
    await rig.store([1]);
    rig.fill(1, 0);
    await rig.load([1], [9]);
    expect(rig.faultOf(1, 9, "did write() keep the view it was given?")).toBe(null);
  });

  test("does not write to a slot that it stores from", async (rig) => {
    await rig.store([1, 2]);
    for (const n of [1, 2]) expect(rig.faultOf(n, n, "did write() change the view it was given?")).toBe(null);
  });

  test("touches no slot but those of the load", async (rig) => {
    await rig.store([1, 2]);
    for (const slot of range(8, 13)) rig.fill(slot, 0xee);
    await rig.load([1, 2], [9, 11]);
    const untouched = new Uint8Array(rig.env.offloadingSpec.blockBytes).fill(0xee);
    for (const slot of [8, 10, 12]) {
      expect(byteFault(`slot ${slot}`, rig.slot(slot), untouched, "did a load write beyond its own slots?")).toBe(null);
    }
  });

  test("takes jobs without an answer, and ends each in exactly one result", async (rig) => {
    const jobs = range(0, 12).map((n) => rig.submitStore([n * 2, n * 2 + 1]));
    for (const job of jobs) expect((await rig.resultOf(job)).success).toBe(true);
    const loads = range(0, 12).map((n) => rig.submitLoad([n * 2], [40 + n]));
    for (const job of loads) expect((await rig.resultOf(job)).success).toBe(true);
    // The rig throws at a second result.
    for (let i = 0; i < 20; i++) await rig.step();
    expect(rig.tier.getFinishedJobs()).toEqual([]);
  });

  test("answers a submit with nothing, not even a promise", async (rig) => {
    const [store, load] = [rig.createJob([1], [1], false), rig.createJob([2], [9], true)];
    const answers: unknown[] = [rig.tier.submitStore(store), rig.tier.submitLoad(load)];
    expect(answers).toEqual([undefined, undefined]);
    await rig.resultOf(store);
    await rig.resultOf(load);
  });

  test("ends a job without blocks as a success", async (rig) => {
    expect((await rig.store(EMPTY)).success).toBe(true);
    expect((await rig.load(EMPTY, EMPTY)).success).toBe(true);
  });

  test("takes a block that it has already", async (rig) => {
    expect((await rig.store([1])).success).toBe(true);
    expect((await rig.store([1])).success).toBe(true);
    expect((await rig.load([1], [9])).success).toBe(true);
    expect(rig.faultOf(1, 9)).toBe(null);
  });

  test("takes the same block from two jobs at once", async (rig) => {
    const [first, second] = [rig.submitStore([1, 2]), rig.submitStore([2, 3])];
    expect((await rig.resultOf(first)).success).toBe(true);
    expect((await rig.resultOf(second)).success).toBe(true);
    await rig.load([1, 2, 3], [9, 10, 11]);
    for (const n of [1, 2, 3]) expect(rig.faultOf(n, 8 + n)).toBe(null);
  });

  test("fails the load of a block that it does not have, and never fills the slot with another", async (rig) => {
    await rig.store([1, 2]);
    rig.fill(9, 0xee);
    const result = await rig.load([3], [9]);
    expect([result.success, result.successfulKeys ?? []]).toEqual([false, []]);
    expect([1, 2].filter((n) => rig.faultOf(n, 9) === null)).toEqual([]);
  });

  test("lists the keys of a partly failed load that did succeed, with their bytes, and no other", async (rig) => {
    await rig.store([1, 3]);
    const result = await rig.load([1, 2, 3], [9, 10, 11]);
    expect(result.success).toBe(false);
    const listed = result.successfulKeys ?? [];
    expect(listed.filter((key) => key !== keyOf(1) && key !== keyOf(3))).toEqual([]);
    if (listed.includes(keyOf(1))) expect(rig.faultOf(1, 9, "did this key really succeed?")).toBe(null);
    if (listed.includes(keyOf(3))) expect(rig.faultOf(3, 11, "did this key really succeed?")).toBe(null);
  });
};
