import { describe, expect, it } from "@jest/globals";
import type { TierContext } from "../../src/contracts/tier-context.js";
import { SecondaryTier } from "../../src/decorators/secondary-tier.js";
import { createTestTiering } from "../../src/testing/create-test-tiering.js";
import { BlockStoreTier } from "../../src/tiers/shared/block-store-tier.js";
import { DEFAULT_BLOCK_STORE_LIMITS, type BlockStoreLimits } from "../../src/tiers/shared/block-store-limits.js";
import { bytesOf, configOf, keysOf } from "../unit/cache/cache-rig.js";

const QUEUED = 8;

@SecondaryTier("slow")
class SlowTier extends BlockStoreTier {
  constructor(context: TierContext) {
    super(context);
  }
  protected override get limits(): BlockStoreLimits {
    return { ...DEFAULT_BLOCK_STORE_LIMITS, maxQueuedBlocks: QUEUED, concurrency: 1, batchBlocks: 1 };
  }
  async exists(keys: readonly unknown[]): Promise<boolean[]> {
    return keys.map(() => false);
  }
  async read(): Promise<void> {}
  write(): Promise<void> {
    return new Promise(() => {});
  }
}

describe("B5: a tier whose writes never end holds a bounded part of the pool, and stops nobody", () => {
  it("takes 300 stores in a row, drops and counts what is over its queue, and serves what is in the pool", async () => {
    const { cache, clock, close } = await createTestTiering(configOf(64, [{ type: "slow" }]), { tiers: [SlowTier] });
    for (let n = 1; n <= 300; n++) expect(await cache.put(keysOf(n), [bytesOf(n)])).toBe(1);
    expect(await cache.get(keysOf(300))).toEqual([bytesOf(300)]);
    await new Promise((resolve) => setImmediate(resolve));
    const { primary, tiers } = cache.stats();
    expect(primary.busyBlocks).toBe(QUEUED + 1);
    expect(tiers[0]).toMatchObject({ activeCascades: QUEUED + 1, storesDropped: 300 - QUEUED - 1, cascadeFailures: 0 });
    const closing = close();
    for (let i = 0; i < 20; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(31);
    }
    await closing;
  });
});
