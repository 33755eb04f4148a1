import type { MetricFamily, Snapshot } from "./metric-family.js";
import { perTier, single, withPool } from "./samples.js";

/** One that tiers with a figure of this name have. */
function ofFigure(figure: string, family: Omit<MetricFamily, "read">): MetricFamily {
  return { ...family, read: (snapshot: Snapshot) => perTier(snapshot, ({ figures }) => figures[figure]) };
}

/** What upstream has no metric for. */
export const OWN_FAMILIES: readonly MetricFamily[] = [
  {
    name: "evictions_total",
    type: "counter",
    help: "Blocks that were evicted to make room; of a tier, by this process.",
    read: (snapshot) => withPool(snapshot, snapshot.stats.primary.evictions, ({ figures }) => figures.evictions),
  },
  {
    name: "pending_deadlines_total",
    type: "counter",
    help: "Look-ups that ran into pending_deadline_s.",
    read: ({ stats }) => single(stats.primary.pendingDeadlines),
  },
  {
    name: "stores_dropped_total",
    type: "counter",
    help: "Stores that a tier was not given, or did not take: under pressure, with a full queue, or out of order.",
    read: (snapshot) => perTier(snapshot, ({ storesDropped }) => storesDropped),
  },
  {
    name: "blocks_dropped_total",
    type: "counter",
    help: "Blocks of these stores.",
    read: (snapshot) => perTier(snapshot, ({ blocksDropped }) => blocksDropped),
  },
  {
    name: "backpressure_active",
    type: "gauge",
    help: "Whether the tier is under pressure.",
    read: (snapshot) => perTier(snapshot, ({ pressure }) => (pressure === null ? undefined : Number(pressure.active))),
  },
  {
    name: "queue_depth",
    type: "gauge",
    help: "Blocks that wait for the tier, by what is to be done with them.",
    read: (snapshot) => [
      ...perTier(snapshot, ({ figures }) => figures.queuedLoads, { queue: "load" }),
      ...perTier(snapshot, ({ figures }) => figures.queuedStores, { queue: "store" }),
    ],
  },
  ofFigure("checksumFailures", {
    name: "integrity_failures_total",
    type: "counter",
    help: "Stored blocks that were not what was stored. None of them was served.",
  }),
  ofFigure("stalled", {
    name: "stalled",
    type: "gauge",
    help: "Whether the tier waits for input or output that is overdue, and serves nothing until it ends.",
  }),
  ofFigure("breakerOpen", {
    name: "breaker_open",
    type: "gauge",
    help: "Circuit breakers of the tier that are not closed: servers it stays away from.",
  }),
  ofFigure("breakerOpens", {
    name: "breaker_opens_total",
    type: "counter",
    help: "How often a circuit breaker of the tier opened.",
  }),
  ofFigure("engineFailures", {
    name: "engine_failures_total",
    type: "counter",
    help: "Look-ups, loads and stores that a server failed.",
  }),
  ofFigure("used", {
    name: "disk_used_bytes",
    type: "gauge",
    help: "Bytes of files that count against max_bytes, as far as this process knows.",
  }),
  ofFigure("max", {
    name: "disk_max_bytes",
    type: "gauge",
    help: "max_bytes.",
  }),
];
