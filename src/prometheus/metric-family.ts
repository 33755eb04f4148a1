import type { Distributions } from "../metrics/distributions.js";
import type { TieringStats } from "../metrics/tiering-stats.js";

export type Labels = Readonly<Record<string, string>>;

/** One line of a scrape. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** Of a histogram, which of its series. */
  readonly series?: "bucket" | "sum" | "count";
}

/** What one cache has to tell at one moment. */
export interface Snapshot {
  readonly stats: TieringStats;
  readonly distributions: Distributions;
}

/** One metric of every cache, without the prefix that an application chooses. */
export interface MetricFamily {
  /** Ends in `_total` if it only grows. */
  readonly name: string;
  /** Upstream names those of the pool without the `tiering_` of the others. */
  readonly isOfPool?: boolean;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** How processes of a cluster are put together; absent: as a sum. */
  readonly aggregator?: "average";
  /** Empty for a cache that has nothing of the kind, which then is no reason to register it. */
  read(snapshot: Snapshot): Sample[];
}
