import { formatByteSize } from "../../config/byte-size.js";
import type { LatencySummary } from "../../metrics/latency-histogram.js";
import type { PrimaryStats, TieringStats, TierStats } from "../../metrics/tiering-stats.js";
import { formatCount, formatSeconds, formatShare, formatTable, NONE } from "../format.js";
import type { Mismatch, ReplayCounts } from "./replay-run.js";

/** What `replay --json` prints. */
export interface ReplayResult {
  readonly requests: number;
  readonly blocks: { readonly lookedUp: number; readonly unique: number };
  /** 0 to 1. A block counts only while every earlier block of its request hits. */
  readonly prefixHitRate: number;
  /** Hits on blocks that this run had not stored: an earlier one left them in a tier. */
  readonly storedBefore: number;
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
    storedBefore: counts.storedBefore,
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

/** The result as tables by tier, none of them wider than a terminal, and what it comes to. */
export function replayText(result: ReplayResult, { primary, tiers }: TieringStats): string {
  const { requests, blocks, prefixHitRate, verified, blocksNotStored, durationS } = result;
  if (requests === 0) return "the trace has no requests";
  return [
    countTable(primary, tiers),
    ...(tiers.length === 0 ? [] : [transferTable(tiers)]),
    `prefix hit rate  ${formatShare(prefixHitRate)} of ${formatCount(blocks.lookedUp)} blocks`,
    ...(result.storedBefore > 0
      ? [`stored before    ${formatCount(result.storedBefore)} of the hits were blocks of an earlier run`]
      : []),
    `verified         ${formatCount(verified.blocks)} blocks, ${formatCount(verified.mismatches)} with wrong bytes`,
    ...(blocksNotStored > 0 ? [`no room for      ${formatCount(blocksNotStored)} blocks`] : []),
    `replayed         ${formatCount(requests)} requests with ${formatCount(blocks.unique)} different blocks in ${formatSeconds(durationS)}`,
  ].join("\n");
}

function countTable(primary: PrimaryStats, tiers: readonly TierStats[]): string {
  const head = ["Tier", "Queries", "Hits", "Dropped", "Failed", "Evicted"];
  const rows = [
    [
      primary.label,
      formatCount(primary.queries),
      formatCount(primary.hits),
      NONE,
      NONE,
      formatCount(primary.evictions),
    ],
    ...tiers.map(({ label, queries, hits, blocksDropped, promotionFailures, cascadeFailures }) => [
      label,
      ...[queries, hits, blocksDropped, promotionFailures + cascadeFailures].map(formatCount),
      NONE,
    ]),
  ];
  return formatTable(head, rows, "right");
}

function transferTable(tiers: readonly TierStats[]): string {
  const head = ["Tier", "Read", "Read p50 / p99", "Written", "Write p50 / p99"];
  const rows = tiers.map(({ label, bytesRead, readLatencyS, bytesWritten, writeLatencyS }) => [
    label,
    formatByteSize(bytesRead),
    latencyText(readLatencyS),
    formatByteSize(bytesWritten),
    latencyText(writeLatencyS),
  ]);
  return formatTable(head, rows, "right");
}

function latencyText({ count, p50, p99 }: LatencySummary): string {
  return count === 0 ? NONE : `${formatSeconds(p50)} / ${formatSeconds(p99)}`;
}
