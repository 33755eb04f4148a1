import type { OffloadKey } from "../../../src/contracts/offload-key.js";
import type { TierContext } from "../../../src/contracts/tier-context.js";
import type { CreateTieringOptions } from "../../../src/cache/create-tiering.js";
import { SecondaryTier } from "../../../src/decorators/secondary-tier.js";
import { createTestTiering, type TestTiering } from "../../../src/testing/create-test-tiering.js";
import { RecordingTier } from "../orchestrator/step-rig.js";

export { bytesOf, keyOf, keysOf, settle } from "../orchestrator/step-rig.js";

const BLOCK_BYTES = 16;

export const configOf = (blocks: number, tiers: readonly object[], more: object = {}): object => ({
  cpu_bytes_to_use: blocks * BLOCK_BYTES,
  block_bytes: BLOCK_BYTES,
  model: { name: "test-model", dtype: "float16", tokens_per_block: 16 },
  secondary_tiers: tiers,
  ...more,
});

export interface CacheRig extends TestTiering {
  /** The recording tiers, in order of creation. */
  readonly tiers: RecordingTier[];
  readonly tier: RecordingTier;
}

export interface CacheRigOptions {
  readonly blocks?: number;
  readonly tiers?: number;
  readonly config?: object;
  readonly options?: Omit<CreateTieringOptions, "clock">;
}

/** A real cache over recording tiers, which end no job until the test says so. */
export async function openCache({
  blocks = 8,
  tiers: count = 1,
  config,
  options,
}: CacheRigOptions = {}): Promise<CacheRig> {
  const tiers: RecordingTier[] = [];

  @SecondaryTier("recording", { config: "passthrough" })
  class CapturedTier extends RecordingTier {
    constructor(context: TierContext) {
      super(context);
      tiers.push(this);
    }
  }

  const blocksOfTier = Array.from({ length: count }, () => ({ type: "recording" }));
  const tiering = await createTestTiering(configOf(blocks, blocksOfTier, config), {
    ...options,
    tiers: [CapturedTier, ...(options?.tiers ?? [])],
  });
  const rig = Object.assign(tiering, { tiers });
  return Object.defineProperty(rig, "tier", {
    get: (): RecordingTier => {
      const [tier] = tiers;
      if (tier === undefined) throw new Error("This cache has no tier.");
      return tier;
    },
  }) as CacheRig;
}

/** Lets the driver run until nothing changes any more of itself. */
export async function turns(count = 6): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Stores the blocks in the tiers, and empties the pool. */
export async function seed(
  { cache, manager, tiers }: CacheRig,
  keys: readonly OffloadKey[],
  blocks: Uint8Array[],
): Promise<void> {
  for (const [i, key] of keys.entries()) {
    await cache.put([key], [blocks[i] ?? new Uint8Array(BLOCK_BYTES)]);
    for (const tier of tiers) tier.release();
    await cache.flush();
  }
  await manager.resetCache();
  for (const tier of tiers) {
    tier.calls.length = 0;
    tier.submitted.length = 0;
  }
}
