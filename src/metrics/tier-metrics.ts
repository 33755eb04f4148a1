import type { DroppedStores } from "../contracts/backpressure.js";
import type { TierFigures } from "../contracts/secondary-tier-manager.js";
import { LatencyHistogram } from "./latency-histogram.js";
import type { PressureStats, TierStats } from "./tiering-stats.js";

/** What the counters need to know of the detector of the tier they count for. */
export interface MeasuredPressure {
  /** `null`: the tier has no detector. */
  readonly stats: PressureStats | null;
  /** What the policy refused since the last call. */
  popStoresDropped(): DroppedStores;
}

/** What the counters need to know of the tier they count for. */
export interface MeasuredTier {
  readonly index: number;
  readonly label: string;
  readonly type: string;
  readonly pressure: MeasuredPressure;
  figures(): TierFigures;
}

/** Counts for one tier. The only place that pops a policy's counters. */
export class TierMetrics {
  queries = 0;
  hits = 0;
  bytesRead = 0;
  bytesWritten = 0;
  promotionFailures = 0;
  cascadeFailures = 0;
  activePromotions = 0;
  activeCascades = 0;
  readonly readLatency = new LatencyHistogram();
  readonly writeLatency = new LatencyHistogram();
  #storesDropped = 0;
  #blocksDropped = 0;

  onDropped(blocks: number): void {
    this.#storesDropped++;
    this.#blocksDropped += blocks;
  }

  /** Adds up what the policy refused since the last call; a reset of the detector would lose it. */
  collectDropped(pressure: MeasuredPressure): void {
    const { stores, blocks } = pressure.popStoresDropped();
    this.#storesDropped += stores;
    this.#blocksDropped += blocks;
  }

  snapshot(tier: MeasuredTier): TierStats {
    this.collectDropped(tier.pressure);
    return {
      index: tier.index,
      label: tier.label,
      type: tier.type,
      queries: this.queries,
      hits: this.hits,
      bytesRead: this.bytesRead,
      bytesWritten: this.bytesWritten,
      readLatencyS: this.readLatency.summary,
      writeLatencyS: this.writeLatency.summary,
      promotionFailures: this.promotionFailures,
      cascadeFailures: this.cascadeFailures,
      activePromotions: this.activePromotions,
      activeCascades: this.activeCascades,
      storesDropped: this.#storesDropped,
      blocksDropped: this.#blocksDropped,
      pressure: tier.pressure.stats,
      figures: tier.figures(),
    };
  }
}
