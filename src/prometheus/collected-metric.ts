import type { Labels, MetricFamily } from "./metric-family.js";
import type { MetricsSource } from "./metrics-source.js";

export interface CollectedValue {
  readonly labels: Labels;
  readonly value: number;
  /** Of a series of a histogram. */
  readonly metricName?: string;
}

/** What `prom-client` asks of a metric. */
export interface CollectedValues {
  readonly name: string;
  readonly help: string;
  readonly type: MetricFamily["type"];
  readonly aggregator: "sum" | "average";
  readonly values: CollectedValue[];
}

/**
 * A metric as `prom-client` knows them, of every cache in one registry. It has no figures of its own: each scrape reads
 * those of the caches, so that nothing is counted twice and a series is there before anything happened.
 */
export class CollectedMetric implements Omit<CollectedValues, "values"> {
  /** Set by `prom-client` when it writes a format that names counters in another way. */
  name: string;
  readonly help: string;
  readonly type: MetricFamily["type"];
  readonly aggregator: "sum" | "average";
  readonly sources = new Set<MetricsSource>();
  readonly #read: MetricFamily["read"];

  constructor(name: string, family: MetricFamily) {
    this.name = name;
    this.help = family.help;
    this.type = family.type;
    this.aggregator = family.aggregator ?? "sum";
    this.#read = (snapshot) => family.read(snapshot);
  }

  async get(): Promise<CollectedValues> {
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values: [...this.sources].flatMap((source) => this.#valuesOf(source)) };
  }

  /** Nothing: the figures are the caches', which do not start anew. */
  reset(): void {}

  #valuesOf(source: MetricsSource): CollectedValue[] {
    const { snapshot } = source;
    if (snapshot === null) return [];
    return this.#read(snapshot).map(({ labels, value, series }) => ({
      labels: { ...labels, ...source.labels },
      value,
      ...(series !== undefined && { metricName: `${this.name}_${series}` }),
    }));
  }
}
