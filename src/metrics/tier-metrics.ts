import type { DroppedStores } from "../contracts/backpressure.js";
import type { TierFigures } from "../contracts/secondary-tier-manager.js";
import { LatencyHistogram } from "./latency-histogram.js";
import type { LookupDelays } from "./lookup-delays.js";
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

/** What a job came to. */
export interface EndedJob {
  /** Blocks that were in it. */
  readonly blocks: number;
  readonly success: boolean;
  /** Bytes that were moved. */
  readonly bytes: number;
  /** Seconds that moving them took. */
  readonly moveS: number;
  /** Seconds from submission to result. */
  readonly durationS: number;
}

/** Counts for one tier. The only place that pops a policy's counters. */
export class TierMetrics {
  queries = 0;
  hits = 0;
  #bytesRead = 0;
  #bytesWritten = 0;
  #readTimeS = 0;
  #writeTimeS = 0;
  #promotionFailures = 0;
  #cascadeFailures = 0;
  #activePromotions = 0;
  #activeCascades = 0;
  #promotingBlocks = 0;
  #cascadingBlocks = 0;
  readonly #readLatency = new LatencyHistogram();
  readonly #writeLatency = new LatencyHistogram();
  /** By a full queue, or a tier that is out of order. */
  readonly #droppedByTier = { stores: 0, blocks: 0 };
  readonly #droppedByPressure = { stores: 0, blocks: 0 };
  /** `null`: nobody wants to know. */
  delays: LookupDelays | null = null;

  onPromotion(blocks: number): void {
    this.#activePromotions++;
    this.#promotingBlocks += blocks;
  }

  onPromotionEnded({ blocks, success, bytes, moveS, durationS }: EndedJob): void {
    this.#activePromotions--;
    this.#promotingBlocks -= blocks;
    this.#bytesRead += bytes;
    if (bytes > 0) this.#readTimeS += moveS;
    if (success) this.#readLatency.record(durationS);
    else this.#promotionFailures++;
  }

  onCascade(blocks: number): void {
    this.#activeCascades++;
    this.#cascadingBlocks += blocks;
  }

  /** @param isDropped whether the tier refused the store before any I/O, which is no failure */
  onCascadeEnded({ blocks, success, bytes, moveS, durationS }: EndedJob, isDropped: boolean): void {
    this.#activeCascades--;
    this.#cascadingBlocks -= blocks;
    if (success) {
      this.#bytesWritten += bytes;
      if (bytes > 0) this.#writeTimeS += moveS;
      this.#writeLatency.record(durationS);
    } else if (isDropped) add(this.#droppedByTier, { stores: 1, blocks });
    else this.#cascadeFailures++;
  }

  /** Adds up what the policy refused since the last call; a reset of the detector would lose it. */
  collectDropped(pressure: MeasuredPressure): void {
    add(this.#droppedByPressure, pressure.popStoresDropped());
  }

  snapshot(tier: MeasuredTier): TierStats {
    this.collectDropped(tier.pressure);
    return {
      index: tier.index,
      label: tier.label,
      type: tier.type,
      queries: this.queries,
      hits: this.hits,
      bytesRead: this.#bytesRead,
      bytesWritten: this.#bytesWritten,
      readTimeS: this.#readTimeS,
      writeTimeS: this.#writeTimeS,
      readLatencyS: this.#readLatency.summary,
      writeLatencyS: this.#writeLatency.summary,
      promotionFailures: this.#promotionFailures,
      cascadeFailures: this.#cascadeFailures,
      activePromotions: this.#activePromotions,
      activeCascades: this.#activeCascades,
      promotingBlocks: this.#promotingBlocks,
      cascadingBlocks: this.#cascadingBlocks,
      storesDropped: this.#droppedByTier.stores + this.#droppedByPressure.stores,
      blocksDropped: this.#droppedByTier.blocks + this.#droppedByPressure.blocks,
      droppedByPressure: { ...this.#droppedByPressure },
      pressure: tier.pressure.stats,
      figures: tier.figures(),
    };
  }
}

function add(sum: { stores: number; blocks: number }, { stores, blocks }: DroppedStores): void {
  sum.stores += stores;
  sum.blocks += blocks;
}
