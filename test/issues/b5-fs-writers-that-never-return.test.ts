import { describe, expect, it } from "@jest/globals";
import { withHangs } from "../support/with-hangs.js";

const SUBMITTED = 10_000;
const BOUND = 4096;

describe("B5: writers that never return block nobody", () => {
  it("takes stores up to the bound, drops and counts the rest in the same tick, and serves loads", async () => {
    await withHangs(async ({ rig, disk }) => {
      await rig.store([1]);
      disk.set("write", { hang: true });
      const jobs = Array.from({ length: SUBMITTED }, (_, i) => rig.createJob([100 + i], [2], false));
      for (const job of jobs) rig.tier.submitStore(job);

      // Nothing has awaited since the first submit: this is what one tick did.
      const { queuedStores = 0, running = 0 } = rig.tier.getStats();
      const ended = rig.tier.getFinishedJobs();
      expect(queuedStores).toBe(BOUND);
      expect(ended).toHaveLength(SUBMITTED - BOUND - running);
      expect(new Set(ended.map(({ success }) => success))).toEqual(new Set([false]));
      expect(rig.tier.getStats()).toMatchObject({ storesDropped: ended.length, blocksDropped: ended.length });

      await disk.untilHung(2);
      expect((await rig.load([1], [9])).success).toBe(true);
      expect(rig.slot(9)).toEqual(rig.bytesOf(1));
    });
  });
});
