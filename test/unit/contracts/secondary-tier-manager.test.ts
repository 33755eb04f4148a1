import { describe, expect, it } from "@jest/globals";
import { Medium } from "../../../src/contracts/medium.js";
import { SecondaryTierManager, type DrainResult } from "../../../src/contracts/secondary-tier-manager.js";
import type { TierContext } from "../../../src/contracts/tier-context.js";
import type { JobResult } from "../../../src/contracts/transfer-job.js";
import { SecondaryTier } from "../../../src/decorators/secondary-tier.js";
import { createTierContext } from "../../../src/testing/create-tier-context.js";

/** No more than the contract asks for. */
class LeastTier extends SecondaryTierManager {
  lookup(): "miss" {
    return "miss";
  }
  submitLoad(): void {}
  submitStore(): void {}
  getFinishedJobs(): JobResult[] {
    return [];
  }
  async drainJobs(): Promise<DrainResult> {
    return { unfinished: [] };
  }
}

@SecondaryTier("shelf", { medium: Medium.Storage })
class ShelfTier extends LeastTier {}

const ctx = { reqId: "r" };

describe("SecondaryTierManager", () => {
  it("knows what its context and its decorator say", () => {
    const backpressureDetector = {} as NonNullable<TierContext["backpressureDetector"]>;
    const tier = new ShelfTier(createTierContext({ tierType: "upper", locality: "REMOTE", backpressureDetector }));
    expect({ type: tier.tierType, medium: tier.medium, locality: tier.locality, bytes: tier.blockBytes }).toEqual({
      type: "upper",
      medium: "STORAGE",
      locality: "REMOTE",
      bytes: 256,
    });
    expect(tier.backpressureDetector).toBe(backpressureDetector);
  });

  it("has no medium and no locality that nobody set", () => {
    const tier = new LeastTier(createTierContext());
    expect([tier.medium, tier.locality, tier.backpressureDetector]).toEqual([null, null, null]);
  });

  it("has a default for everything that a tier need not do", async () => {
    const tier: SecondaryTierManager = new LeastTier(createTierContext());
    await expect(tier.initialize()).resolves.toBeUndefined();
    expect(tier.onNewRequest(ctx)).toEqual({ policy: "chunk_level" });
    expect(tier.touch([], ctx)).toBeUndefined();
    expect(tier.onRequestFinished(ctx)).toBeUndefined();
    expect(tier.onScheduleEnd({ newReqIds: [], preemptedReqIds: [] })).toBeUndefined();
    expect(tier.takeEvents()).toEqual([]);
    expect(tier.hasPendingWork()).toBe(false);
    expect(tier.getStats()).toEqual({});
    expect("clear" in tier).toBe(false);
    await expect(tier.shutdown()).resolves.toBeUndefined();
  });
});
