import type { TierFigures } from "../contracts/secondary-tier-manager.js";
import type { PrimaryStats, TieringStats, TierStats } from "../metrics/tiering-stats.js";

/** One moment of one cache: what was counted since the sample before it, and the gauges of the moment. */
export interface CacheSample {
  /** Seconds since the sample before. */
  readonly dtS: number;
  readonly pool: PoolSample;
  /** In the order of `secondary_tiers`. */
  readonly tiers: readonly TierSample[];
}

export interface PoolSample {
  readonly queries: number;
  readonly hits: number;
  readonly evictions: number;
  readonly refused: number;
  /** Bytes that readers were given, and that stores of callers made readable. */
  readonly bytesLoaded: number;
  readonly bytesStored: number;
  /** Gauges, in blocks: what is pinned, being written or in reach of late I/O; what is held and could be evicted. */
  readonly busy: number;
  readonly idle: number;
}

export interface TierSample {
  readonly queries: number;
  readonly hits: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly blocksDropped: number;
  /** Promotions and cascades that failed, in whole or in part. */
  readonly failures: number;
  /** Blocks that wait for the tier, and transfers that run; of a tier that does not tell, its jobs that are out. */
  readonly queued: number;
  /** What the detector measures, in its own unit; `null` without one that tells. */
  readonly reading: number | null;
  /** 1: the tier is under pressure; `null` without a detector. */
  readonly pressure: number | null;
  /** Circuit breakers that are not closed; `null` when the tier has none. */
  readonly breakerOpen: number | null;
  /** 1: no load can start, because all that may run is overdue. */
  readonly stalled: number;
}

/** @param before figures of the sample before, of the same cache */
export function sampleOf(stats: TieringStats, before: TieringStats, dtS: number): CacheSample {
  return {
    dtS: Number(dtS.toFixed(3)),
    pool: poolSample(stats.primary, before.primary),
    tiers: stats.tiers.map((tier, i) => tierSample(tier, before.tiers[i] ?? tier)),
  };
}

function poolSample(now: PrimaryStats, before: PrimaryStats): PoolSample {
  return {
    queries: now.queries - before.queries,
    hits: now.hits - before.hits,
    evictions: now.evictions - before.evictions,
    refused: now.storesRefused - before.storesRefused,
    bytesLoaded: now.bytesLoaded - before.bytesLoaded,
    bytesStored: now.bytesStored - before.bytesStored,
    busy: now.busyBlocks,
    idle: now.residentBlocks - now.pinnedBlocks - now.writingBlocks,
  };
}

function tierSample(now: TierStats, before: TierStats): TierSample {
  const { figures, pressure } = now;
  return {
    queries: now.queries - before.queries,
    hits: now.hits - before.hits,
    bytesRead: now.bytesRead - before.bytesRead,
    bytesWritten: now.bytesWritten - before.bytesWritten,
    blocksDropped: now.blocksDropped - before.blocksDropped,
    failures: now.promotionFailures + now.cascadeFailures - before.promotionFailures - before.cascadeFailures,
    queued: queuedIn(figures) ?? now.activePromotions + now.activeCascades,
    reading: pressure?.reading == null ? null : Number(pressure.reading.value.toPrecision(4)),
    pressure: pressure === null ? null : Number(pressure.active),
    breakerOpen: figures.breakerOpen ?? null,
    stalled: Number((figures.stalled ?? 0) > 0),
  };
}

/** `undefined` when the tier does not tell. */
function queuedIn({ queuedLoads, queuedStores, running }: TierFigures): number | undefined {
  if (queuedLoads === undefined || queuedStores === undefined) return undefined;
  return queuedLoads + queuedStores + (running ?? 0);
}
