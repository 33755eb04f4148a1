import { describe, expect, it } from "@jest/globals";
import { createTierContext } from "../../src/testing/create-tier-context.js";
import { BlockStoreTier } from "../../src/tiers/shared/block-store-tier.js";
import { jobOf, keyOf, openStore, request, settle, STEP } from "../unit/tiers/shared/fake-store.js";

describe("M15: the failure of a load travels to its result and to every look-up", () => {
  const failures: [string, () => Promise<void>][] = [
    ["rejects", () => Promise.reject(new Error("EIO"))],
    [
      "throws",
      () => {
        throw new RangeError("offset is out of bounds");
      },
    ],
    [
      "rejects with nothing",
      async () => {
        const nothing: unknown = undefined;
        throw nothing;
      },
    ],
  ];

  it.each(failures)("when the read %s", async (_name, read) => {
    class Broken extends BlockStoreTier {
      exists = async (keys: readonly unknown[]): Promise<boolean[]> => keys.map(() => true);
      write = async (): Promise<void> => {};
      read = read;
    }
    const tier = new Broken(createTierContext());
    tier.lookup(keyOf(1), request());
    tier.onScheduleEnd(STEP);
    await settle();
    expect(tier.lookup(keyOf(1), request())).toBe("hit");
    tier.submitLoad(jobOf([1], [9]));
    await settle();
    expect(tier.getFinishedJobs()).toMatchObject([{ success: false, transferBytes: 0 }]);
    expect(tier.lookup(keyOf(1), request())).toBe("miss");
  });

  it("and a read that fails halfway reports no key of its batch as loaded but those that are", async () => {
    const { tier, slot, results } = openStore();
    await tier.hold(1, 2);
    slot(40).fill(0xee);
    tier.submitLoad(jobOf([1, 2], [40, 41]));
    tier.reads[0]?.bytes.fill(7, 0, 8);
    tier.reads[0]?.reject(new Error("connection lost"));
    tier.reads[1]?.resolve();
    expect(await results()).toMatchObject([{ success: false, successfulKeys: [keyOf(2)] }]);
  });
});
