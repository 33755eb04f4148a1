import { hashBlocks } from "../../src/contracts/hash-blocks.js";
import { makeOffloadKey, type OffloadKey } from "../../src/contracts/offload-key.js";
import type { TierFigures } from "../../src/contracts/secondary-tier-manager.js";
import { dashboardSource, type DashboardSource } from "../../src/dashboard/dashboard-source.js";
import { SecondaryTier } from "../../src/decorators/secondary-tier.js";
import { createTestTiering, HeldTier, type TestTiering } from "../../src/testing/index.js";

const BLOCK_BYTES = 4096;

/** A pool of 16 blocks, an `example` tier, and a `held` one whose stores end when the test says so. */
const CONFIG = {
  cpu_bytes_to_use: 16 * BLOCK_BYTES,
  block_bytes: BLOCK_BYTES,
  model: { name: "m", dtype: "f16", tokens_per_block: 16 },
  secondary_tiers: [
    { type: "example" },
    {
      type: "held",
      backpressure: {
        backpressure_cls: "EMABackpressureDetector",
        policy_cls: "DropStorePolicy",
        high_water_s: 2,
        low_water_s: 1,
        warmup_completions: 0,
        alpha: 1,
        decay_half_life_s: 0,
        cooldown_s: 0,
      },
    },
  ],
};

/** A tier that says of itself what the test wants. */
@SecondaryTier("watched", { config: "passthrough" })
class WatchedTier extends HeldTier {
  figures: TierFigures = {};
  override holdsDrains = false;

  override getStats(): TierFigures {
    return this.figures;
  }
}

/** A cache whose every second passes by the test's hand. */
export class WatchedCache {
  readonly tiering: TestTiering;
  readonly source: DashboardSource;
  readonly #held: WatchedTier;
  #blocks = 0;

  private constructor(name: string, tiering: TestTiering, held: WatchedTier) {
    this.tiering = tiering;
    this.source = dashboardSource(name, tiering.container);
    this.#held = held;
  }

  static async open(name: string): Promise<WatchedCache> {
    const made: WatchedTier[] = [];
    @SecondaryTier("held", { config: "passthrough" })
    class CapturedTier extends WatchedTier {
      override async initialize(): Promise<void> {
        made.push(this);
      }
    }
    const tiering = await createTestTiering(CONFIG, { tiers: [CapturedTier] });
    const [held] = made;
    if (held === undefined) throw new Error("No tier was made.");
    return new WatchedCache(name, tiering, held);
  }

  /** Stores a new block, which the `example` tier has then, and the `held` one has in its hands. */
  async store(): Promise<OffloadKey> {
    const [key = makeOffloadKey("00")] = hashBlocks([++this.#blocks], 1).map((hash) => makeOffloadKey(hash));
    const { cache } = this.tiering;
    await cache.put([key], [new Uint8Array(BLOCK_BYTES)]);
    while (cache.stats().tiers[0]?.activeCascades !== 0) await new Promise(setImmediate);
    return key;
  }

  /** Lets the `held` tier end what it was given, and waits until everybody knows. */
  async release(): Promise<void> {
    this.#held.release();
    await this.tiering.cache.flush();
  }

  /** What the `held` tier says of itself from now on. */
  set figures(figures: TierFigures) {
    this.#held.figures = figures;
  }

  /** Lets time pass, and with it samples be taken. */
  pass(seconds: number): void {
    this.tiering.clock.advance(seconds);
  }
}
