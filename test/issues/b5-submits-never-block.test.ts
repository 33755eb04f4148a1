import { describe, expect, it } from "@jest/globals";
import { jobOf, openStore, settle } from "../unit/tiers/shared/fake-store.js";

describe("B5: a writer that never resolves blocks neither submits nor loads", () => {
  it("takes 10,000 stores in one tick, queues up to the bound, drops and counts the rest, and still loads", async () => {
    const { tier, results } = openStore({ maxQueuedBlocks: 500 });
    await tier.hold(1);
    for (let n = 0; n < 10_000; n++) tier.submitStore(jobOf([100 + n], [0]));
    const { queuedStores = NaN, running = NaN, storesDropped = NaN, blocksDropped } = tier.getStats();
    expect(queuedStores).toBe(500);
    expect(storesDropped).toBe(10_000 - queuedStores - running);
    expect(blocksDropped).toBe(storesDropped);

    const dropped = tier.getFinishedJobs();
    expect(dropped).toHaveLength(storesDropped);
    expect(dropped.every((result) => !result.success && result.dropped === true)).toBe(true);

    const load = jobOf([1], [40]);
    tier.submitLoad(load);
    tier.endReads();
    expect(await results()).toMatchObject([{ jobId: load.jobId, success: true }]);
  });

  it("ends what waits at the deadline, then drops at once, and recovers with the writer", async () => {
    const { tier, clock, results } = openStore({ concurrency: 4 });
    for (let n = 0; n < 20; n++) tier.submitStore(jobOf([100 + n], [0]));
    clock.advance(30);
    expect(await results()).toHaveLength(20);
    tier.submitStore(jobOf([200], [0]));
    expect(tier.getFinishedJobs()).toMatchObject([{ success: false, dropped: true }]);
    tier.endWrites();
    await settle();
    tier.submitStore(jobOf([200], [0]));
    tier.endWrites();
    expect(await results()).toMatchObject([{ success: true }]);
  });
});
