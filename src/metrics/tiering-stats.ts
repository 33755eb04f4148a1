import type { DroppedStores, PressureReading } from "../contracts/backpressure.js";
import type { TierFigures } from "../contracts/secondary-tier-manager.js";
import type { LatencySummary } from "./latency-histogram.js";

/** Label of the pool, where tiers have theirs. */
export const PRIMARY_LABEL = "0:primary";

/** Cumulative figures since the start, and gauges of this moment. Reading them changes nothing. */
export interface TieringStats {
  readonly primary: PrimaryStats;
  /** In the order of `secondary_tiers`. */
  readonly tiers: readonly TierStats[];
}

export interface PrimaryStats {
  /** `0:primary`. */
  readonly label: string;
  readonly capacityBlocks: number;
  readonly residentBlocks: number;
  /** Blocks that somebody reads: callers, or the copying into tiers. */
  readonly pinnedBlocks: number;
  readonly writingBlocks: number;
  /** Blocks that are pinned, being written, or still in reach of late I/O. */
  readonly busyBlocks: number;
  /** Look-ups, once per request and key. */
  readonly queries: number;
  readonly hits: number;
  readonly evictions: number;
  /** Stores that were refused because no slot could be freed, the retries of a request counted once. */
  readonly storesRefused: number;
  /** Secondary hits that became misses because no slot could be freed for them, once per request and key. */
  readonly promotionAllocationFailures: number;
  /** Look-ups that ran into `pending_deadline_s`, once per request and key. */
  readonly pendingDeadlines: number;
  /** Bytes that readers were given, and that stores of callers made readable. */
  readonly bytesLoaded: number;
  readonly bytesStored: number;
}

export interface TierStats {
  /** Position in `secondary_tiers`, from 0. */
  readonly index: number;
  /** `<index + 1>:<type>`. */
  readonly label: string;
  readonly type: string;
  /** Look-ups that reached this tier, once per request and key. */
  readonly queries: number;
  readonly hits: number;
  /** Bytes of promotions that arrived, and of cascades that succeeded: what a tier held already counts 0. */
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Seconds that moving these took, as the tier says, else from submission to result: the sum of all jobs. */
  readonly readTimeS: number;
  readonly writeTimeS: number;
  /** From submission to result, of promotions and of cascades that succeeded. */
  readonly readLatencyS: LatencySummary;
  readonly writeLatencyS: LatencySummary;
  readonly promotionFailures: number;
  readonly cascadeFailures: number;
  readonly activePromotions: number;
  readonly activeCascades: number;
  /** Blocks of the pool in those jobs. */
  readonly promotingBlocks: number;
  readonly cascadingBlocks: number;
  /** Stores, and their blocks, that were refused under pressure or by a full queue. */
  readonly storesDropped: number;
  readonly blocksDropped: number;
  /** Of these, the ones that were refused under pressure. */
  readonly droppedByPressure: DroppedStores;
  /** `null` without a `backpressure` block. */
  readonly pressure: PressureStats | null;
  /** The tier's own figures. */
  readonly figures: TierFigures;
}

export interface PressureStats {
  readonly active: boolean;
  readonly detector: Readonly<Record<string, number>>;
  /** `null` when the detector compares no one figure with marks. */
  readonly reading: PressureReading | null;
}
