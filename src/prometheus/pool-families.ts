import type { MetricFamily } from "./metric-family.js";
import { histogram, single } from "./samples.js";

/** Upstream's metrics of the pool, as far as they are about what happens here: the engine's own copying is not. */
export const POOL_FAMILIES: readonly MetricFamily[] = [
  {
    name: "cpu_cache_usage_perc",
    isOfPool: true,
    type: "gauge",
    aggregator: "average",
    help: "Share of the pool that holds blocks; 1 is all.",
    read: ({ stats: { primary } }) => single(primary.residentBlocks / primary.capacityBlocks),
  },
  {
    name: "cpu_cache_write_usage_perc",
    isOfPool: true,
    type: "gauge",
    aggregator: "average",
    help: "Share of the pool that is being written; 1 is all.",
    read: ({ stats: { primary } }) => single(primary.writingBlocks / primary.capacityBlocks),
  },
  {
    name: "cpu_cache_read_usage_perc",
    isOfPool: true,
    type: "gauge",
    aggregator: "average",
    help: "Share of the pool that is pinned; 1 is all.",
    read: ({ stats: { primary } }) => single(primary.pinnedBlocks / primary.capacityBlocks),
  },
  {
    name: "cpu_allocation_size",
    isOfPool: true,
    type: "histogram",
    help: "Blocks that a store was given slots for.",
    read: ({ distributions }) => histogram(distributions.pool.allocation),
  },
  {
    name: "load_bytes_total",
    isOfPool: true,
    type: "counter",
    help: "Bytes that readers were given.",
    read: ({ stats }) => single(stats.primary.bytesLoaded),
  },
  {
    name: "store_bytes_total",
    isOfPool: true,
    type: "counter",
    help: "Bytes of new blocks that were stored in the pool.",
    read: ({ stats }) => single(stats.primary.bytesStored),
  },
  {
    name: "load_size",
    isOfPool: true,
    type: "histogram",
    help: "Bytes that a reader was given at once.",
    read: ({ distributions }) => histogram(distributions.pool.load),
  },
  {
    name: "store_size",
    isOfPool: true,
    type: "histogram",
    help: "Bytes of new blocks that were stored in the pool at once.",
    read: ({ distributions }) => histogram(distributions.pool.store),
  },
  {
    name: "allocation_failure_total",
    isOfPool: true,
    type: "counter",
    help: "Stores that the pool had no room for, the retries of a request counted once.",
    read: ({ stats }) => single(stats.primary.storesRefused),
  },
];
