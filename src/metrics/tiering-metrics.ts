import type { Distributions } from "./distributions.js";
import { LookupDelays } from "./lookup-delays.js";
import { PoolSizes } from "./pool-sizes.js";
import { PrimaryMetrics, type MeasuredPool } from "./primary-metrics.js";
import type { MeasuredTier, TierMetrics } from "./tier-metrics.js";
import { PRIMARY_LABEL, type TieringStats } from "./tiering-stats.js";

export interface MeasuredParts {
  readonly pool: MeasuredPool;
  readonly tiers: readonly (MeasuredTier & { readonly metrics: TierMetrics })[];
  /** Bytes of one block. */
  readonly blockBytes: number;
}

/** All that one manager counts. */
export class TieringMetrics {
  readonly primary: PrimaryMetrics;
  readonly #parts: MeasuredParts;
  #distributions: Distributions | null = null;

  constructor(parts: MeasuredParts) {
    this.#parts = parts;
    this.primary = new PrimaryMetrics(parts.blockBytes);
  }

  /** Histograms. The first call begins to fill them: timing every look-up is nothing to do for nobody. */
  get distributions(): Distributions {
    this.#distributions ??= this.#measure();
    return this.#distributions;
  }

  snapshot(): TieringStats {
    const { pool, tiers } = this.#parts;
    return { primary: this.primary.snapshot(pool), tiers: tiers.map((tier) => tier.metrics.snapshot(tier)) };
  }

  #measure(): Distributions {
    const pool = new PoolSizes();
    const delays = new LookupDelays();
    this.primary.sizes = pool;
    this.primary.delays = delays;
    const ofTiers = this.#parts.tiers.map(({ label, metrics }) => {
      metrics.delays = new LookupDelays();
      return { label, delays: metrics.delays };
    });
    return { pool, lookups: [{ label: PRIMARY_LABEL, delays }, ...ofTiers] };
  }
}
