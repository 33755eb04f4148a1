import type { MetricFamily } from "./metric-family.js";
import { histogram, perTier, single, withPool } from "./samples.js";

const EMA = "store_latency_ema";

/** Upstream's metrics of tiering. */
export const TIERING_FAMILIES: readonly MetricFamily[] = [
  {
    name: "lookup_sync_delay_seconds",
    type: "histogram",
    help: "Seconds that one call of a look-up took.",
    read: ({ distributions }) =>
      distributions.lookups.flatMap(({ label, delays }) => histogram(delays.sync, { tier: label })),
  },
  {
    name: "lookup_async_delay_seconds",
    type: "histogram",
    help: "Seconds from the first answer of a tier that it does not know yet to its verdict.",
    read: ({ distributions }) =>
      distributions.lookups.slice(1).flatMap(({ label, delays }) => histogram(delays.async, { tier: label })),
  },
  {
    name: "chunk_queries_total",
    type: "counter",
    help: "Blocks that were looked up, once per request and key.",
    read: (snapshot) => withPool(snapshot, snapshot.stats.primary.queries, ({ queries }) => queries),
  },
  {
    name: "chunk_hits_total",
    type: "counter",
    help: "Of these, the ones that were found.",
    read: (snapshot) => withPool(snapshot, snapshot.stats.primary.hits, ({ hits }) => hits),
  },
  {
    name: "read_bytes_total",
    type: "counter",
    help: "Bytes of promotions that arrived.",
    read: (snapshot) => perTier(snapshot, ({ bytesRead }) => bytesRead),
  },
  {
    name: "read_time_total",
    type: "counter",
    help: "Seconds that promotions took, summed over jobs.",
    read: (snapshot) => perTier(snapshot, ({ readTimeS }) => readTimeS),
  },
  {
    name: "write_bytes_total",
    type: "counter",
    help: "Bytes of cascades that were written; what a tier held already counts 0.",
    read: (snapshot) => perTier(snapshot, ({ bytesWritten }) => bytesWritten),
  },
  {
    name: "write_time_total",
    type: "counter",
    help: "Seconds that cascades took, summed over jobs.",
    read: (snapshot) => perTier(snapshot, ({ writeTimeS }) => writeTimeS),
  },
  {
    name: "promotion_job_failures_total",
    type: "counter",
    help: "Promotions of which some or all blocks did not arrive.",
    read: (snapshot) => perTier(snapshot, ({ promotionFailures }) => promotionFailures),
  },
  {
    name: "cascade_job_failures_total",
    type: "counter",
    help: "Cascades of which some or all blocks were not stored.",
    read: (snapshot) => perTier(snapshot, ({ cascadeFailures }) => cascadeFailures),
  },
  {
    name: "promotion_allocation_failures_total",
    type: "counter",
    help: "Hits of tiers that became misses because the pool had no room for them.",
    read: ({ stats }) => single(stats.primary.promotionAllocationFailures),
  },
  {
    name: "primary_write_usage_perc",
    type: "gauge",
    aggregator: "average",
    help: "Share of the pool that promotions are being written to; 1 is all.",
    read: (snapshot) =>
      perTier(snapshot, ({ promotingBlocks }) => promotingBlocks / snapshot.stats.primary.capacityBlocks),
  },
  {
    name: "primary_read_usage_perc",
    type: "gauge",
    aggregator: "average",
    help: "Share of the pool that cascades are being read from; 1 is all.",
    read: (snapshot) =>
      perTier(snapshot, ({ cascadingBlocks }) => cascadingBlocks / snapshot.stats.primary.capacityBlocks),
  },
  {
    name: "active_promotion_jobs",
    type: "gauge",
    help: "Promotions under way.",
    read: (snapshot) => perTier(snapshot, ({ activePromotions }) => activePromotions),
  },
  {
    name: "active_cascade_jobs",
    type: "gauge",
    help: "Cascades under way.",
    read: (snapshot) => perTier(snapshot, ({ activeCascades }) => activeCascades),
  },
  {
    name: "backpressure_store_latency_ema",
    type: "gauge",
    aggregator: "average",
    help: "Moving average of how long stores take, in seconds per MiB; 0 until it is warm.",
    read: (snapshot) => perTier(snapshot, ({ pressure }) => pressure?.detector[EMA]),
  },
  {
    name: "backpressure_stores_dropped_total",
    type: "counter",
    help: "Stores that were refused under pressure.",
    read: (snapshot) =>
      perTier(snapshot, ({ pressure, droppedByPressure }) =>
        pressure === null ? undefined : droppedByPressure.stores,
      ),
  },
  {
    name: "backpressure_blocks_dropped_total",
    type: "counter",
    help: "Blocks of stores that were refused under pressure.",
    read: (snapshot) =>
      perTier(snapshot, ({ pressure, droppedByPressure }) =>
        pressure === null ? undefined : droppedByPressure.blocks,
      ),
  },
];
