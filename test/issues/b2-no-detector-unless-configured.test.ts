import { describe, expect, it } from "@jest/globals";
import { makeOffloadKey } from "../../src/contracts/offload-key.js";
import { createTestTiering, type TestTiering } from "../../src/testing/create-test-tiering.js";
import { HeldTier } from "../../src/testing/held-tier.js";
import type { SecondaryTierManager } from "../../src/contracts/secondary-tier-manager.js";
import { SecondaryTier } from "../../src/decorators/secondary-tier.js";
import type { TierContext } from "../../src/contracts/tier-context.js";

const MIB = 2 ** 20;
const BLOCK_BYTES = 4 * MIB;
const EMA = { backpressure_cls: "EMABackpressureDetector" };
const made: HeldTier[] = [];

/** Such as one whose stores wait until a peer asks for them. */
@SecondaryTier("p2p")
class PeerTier extends HeldTier {
  constructor(context: TierContext) {
    super(context);
    made.push(this);
  }
}

/** Twenty stores of one block of 4 MiB, each of which ends after 80 ms. */
async function storeSlowly(backpressure?: object): Promise<TestTiering> {
  made.length = 0;
  const tiering = await createTestTiering(
    {
      cpu_bytes_to_use: 2 * BLOCK_BYTES,
      block_bytes: BLOCK_BYTES,
      model: { name: "test-model", dtype: "float16", tokens_per_block: 16 },
      secondary_tiers: [{ type: "p2p", ...(backpressure && { backpressure }) }],
    },
    { tiers: [PeerTier] },
  );
  const ctx = { reqId: "r" };
  for (let i = 0; i < 20; i++) {
    const keys = [`${i}`.padStart(8, "0")].map((hash) => makeOffloadKey(hash));
    tiering.manager.prepareStore(keys, ctx);
    tiering.manager.completeStore(keys, ctx);
    tiering.clock.advance(0.08);
    for (const tier of made) tier.release();
    tiering.manager.onScheduleEnd({ newReqIds: [], preemptedReqIds: [] });
  }
  return tiering;
}

describe("B2: stores that wait for a peer look slow, and are dropped only where somebody asked for it", () => {
  it("without a block there is no detector, no pressure and no drop", async () => {
    const { cache, close } = await storeSlowly();
    expect(made.map((tier: SecondaryTierManager) => tier.backpressureDetector)).toEqual([null]);
    expect(cache.stats().tiers[0]).toMatchObject({ pressure: null, storesDropped: 0, bytesWritten: 20 * BLOCK_BYTES });
    await close();
  });

  it("with one, the marks of a local disk hold unless others are set", async () => {
    const local = await storeSlowly(EMA);
    expect(local.cache.stats().tiers[0]).toMatchObject({ pressure: { active: true } });
    await local.close();
    const remote = await storeSlowly({ ...EMA, high_water_s: 0.03, low_water_s: 0.005 });
    expect(remote.cache.stats().tiers[0]).toMatchObject({ pressure: { active: false }, storesDropped: 0 });
    await remote.close();
  });
});
