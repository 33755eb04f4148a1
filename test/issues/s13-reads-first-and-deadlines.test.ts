import { describe, expect, it } from "@jest/globals";
import { jobOf, keyOf, openStore, settle, STEP } from "../unit/tiers/shared/fake-store.js";

const range = (length: number): number[] => Array.from({ length }, (_, i) => i);

describe("S13: a hung mount frees its jobs, and reads do not wait behind writes", () => {
  it("completes a read that was submitted after 1000 writes before the remaining writes", async () => {
    const { tier, results } = openStore();
    await tier.hold(1);
    for (const n of range(1000)) tier.submitStore(jobOf([100 + n], [0]));
    const load = jobOf([1], [40]);
    tier.submitLoad(load);
    tier.endReads();
    expect((await results()).map((result) => result.jobId)).toEqual([load.jobId]);
    expect(tier.getStats()).toMatchObject({ queuedStores: 993, running: 7 });
  });

  it("gives 16 reads that never return up at the deadline: misses, pinned slots, and no verdict from what is late", async () => {
    const { tier, clock, slot, results } = openStore({ concurrency: 16 });
    await tier.hold(...range(16));
    for (const n of range(16)) tier.ask(n);
    tier.onScheduleEnd(STEP);
    tier.probes[0]?.answer(range(16).map(() => true));
    await settle();
    for (const n of range(16)) tier.submitLoad(jobOf([n], [40 + n]));
    clock.advance(30);
    const given = tier.getFinishedJobs();
    expect(given.map((result) => result.success)).toEqual(range(16).map(() => false));
    expect(range(16).map((n) => tier.ask(n))).toEqual(range(16).map(() => "miss"));

    let released = 0;
    for (const result of given) void result.blocksReleased?.then(() => released++);
    await settle();
    expect(released).toBe(0);
    // The late read still writes into its slot, and only then lets go of it.
    tier.reads[0]?.resolve();
    expect(slot(40)).toEqual(slot(0));
    await settle();
    expect(released).toBe(1);
    tier.endReads();
    expect(await results()).toEqual([]);
    expect(released).toBe(16);
    expect(tier.ask(0)).toBe("miss");
  });

  it("frees the job of a hung write, which keeps its slot until it ends", async () => {
    const { tier, clock } = openStore();
    tier.submitStore(jobOf([1]));
    clock.advance(30);
    const [result] = tier.getFinishedJobs();
    expect(result).toMatchObject({ success: false, blocksReleased: expect.any(Promise) });
    expect(tier.writes.map((write) => [write.key, write.signal.aborted])).toEqual([[keyOf(1), true]]);
    tier.endWrites();
    await result?.blocksReleased;
    expect(tier.getStats()).toMatchObject({ running: 0, overdue: 0 });
  });
});
