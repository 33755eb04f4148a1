import { formatByteSize } from "../../config/byte-size.js";
import type { LatencySummary } from "../../metrics/latency-histogram.js";
import type { TieringStats, TierStats } from "../../metrics/tiering-stats.js";
import { formatCount, formatSeconds, formatShare, formatTable, NONE } from "../format.js";
import type { Mismatch, ReplayCounts } from "./replay-run.js";

/** What `replay --json` prints. */
export interface ReplayResult {
  readonly requests: number;
  readonly blocks: { readonly lookedUp: number; readonly unique: number };
  /** 0 to 1. A block counts only while every earlier block of its request hits. */
  readonly prefixHitRate: number;
  readonly verified: { readonly blocks: number; readonly mismatches: number };
  /** The first block with wrong bytes; `null` when every byte was right. */
  readonly firstMismatch: Mismatch | null;
  /** Blocks for which the pool had no room. */
  readonly blocksNotStored: number;
  readonly primary: { readonly capacityBlocks: number; readonly hits: number; readonly evictions: number };
  readonly tiers: readonly ReplayTier[];
  readonly durationS: number;
}

export interface ReplayTier {
  /** Position in `secondary_tiers`, from 0. */
  readonly index: number;
  readonly type: string;
  readonly queries: number;
  readonly hits: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly storesDropped: number;
  readonly blocksDropped: number;
  /** Promotions and cascades that failed, in whole or in part. */
  readonly failures: number;
  readonly readLatencyS: ReplayLatency;
  readonly writeLatencyS: ReplayLatency;
}

export interface ReplayLatency {
  readonly p50: number;
  readonly p99: number;
}

export function replayResult(counts: ReplayCounts, stats: TieringStats, durationS: number): ReplayResult {
  const { requests, lookedUp, unique, hits, verified, mismatches } = counts;
  const { capacityBlocks, hits: primaryHits, evictions } = stats.primary;
  return {
    requests,
    blocks: { lookedUp, unique },
    prefixHitRate: lookedUp === 0 ? 0 : hits / lookedUp,
    verified: { blocks: verified, mismatches },
    firstMismatch: counts.firstMismatch,
    blocksNotStored: counts.notStored,
    primary: { capacityBlocks, hits: primaryHits, evictions },
    tiers: stats.tiers.map(tierResult),
    durationS,
  };
}

function tierResult(tier: TierStats): ReplayTier {
  const { index, type, queries, hits, bytesRead, bytesWritten, storesDropped, blocksDropped } = tier;
  return {
    index,
    type,
    queries,
    hits,
    bytesRead,
    bytesWritten,
    storesDropped,
    blocksDropped,
    failures: tier.promotionFailures + tier.cascadeFailures,
    readLatencyS: latency(tier.readLatencyS),
    writeLatencyS: latency(tier.writeLatencyS),
  };
}

const latency = ({ p50, p99 }: LatencySummary): ReplayLatency => ({ p50, p99 });

/** The result as a table by tier, and what it comes to. */
export function replayText(result: ReplayResult, { primary, tiers }: TieringStats): string {
  const head = ["Tier", "Queries", "Hits", "Read", "p50 / p99", "Written", "p50 / p99", "Dropped", "Failed", "Evicted"];
  const count = (label: string, queries: number, hits: number): string[] => [
    label,
    formatCount(queries),
    formatCount(hits),
  ];
  const rows = [
    [
      ...count(primary.label, primary.queries, primary.hits),
      NONE,
      NONE,
      NONE,
      NONE,
      NONE,
      NONE,
      formatCount(primary.evictions),
    ],
    ...tiers.map((tier) => [
      ...count(tier.label, tier.queries, tier.hits),
      formatByteSize(tier.bytesRead),
      latencyText(tier.readLatencyS),
      formatByteSize(tier.bytesWritten),
      latencyText(tier.writeLatencyS),
      formatCount(tier.blocksDropped),
      formatCount(tier.promotionFailures + tier.cascadeFailures),
      NONE,
    ]),
  ];
  const { requests, blocks, prefixHitRate, verified, blocksNotStored, durationS } = result;
  return [
    formatTable(head, rows, "right"),
    `prefix hit rate  ${formatShare(prefixHitRate)} of ${formatCount(blocks.lookedUp)} blocks`,
    `verified         ${formatCount(verified.blocks)} blocks, ${formatCount(verified.mismatches)} with wrong bytes`,
    ...(blocksNotStored > 0 ? [`no room for      ${formatCount(blocksNotStored)} blocks`] : []),
    `replayed         ${formatCount(requests)} requests with ${formatCount(blocks.unique)} different blocks in ${formatSeconds(durationS)}`,
  ].join("\n");
}

function latencyText({ count, p50, p99 }: LatencySummary): string {
  return count === 0 ? NONE : `${formatSeconds(p50)} / ${formatSeconds(p99)}`;
}
