import { describe, expect, it } from "@jest/globals";
import { jobOf, keyOf, openStore } from "../unit/tiers/shared/fake-store.js";

describe("M6: one bad key does not throw away the good ones of its batch", () => {
  it.each([1, 2, 8])("with batches of %d: [k1, k3] are reported, k3 is tried after k2 failed", async (batchBlocks) => {
    const { tier, slot, results } = openStore({ batchBlocks });
    await tier.hold(1, 3);
    tier.submitLoad(jobOf([1, 2, 3], [40, 41, 42]));
    tier.endReads();
    expect(await results()).toMatchObject([
      { success: false, successfulKeys: [keyOf(1), keyOf(3)], transferBytes: 32 },
    ]);
    expect([slot(40), slot(42)]).toEqual([slot(1), slot(3)]);
  });

  it("reports no key when all have failed", async () => {
    const { tier, results } = openStore();
    tier.submitLoad(jobOf([1, 2], [40, 41]));
    tier.endReads();
    const [result] = await results();
    expect([result?.success, result?.successfulKeys]).toEqual([false, undefined]);
  });
});
