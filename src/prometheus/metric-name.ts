import type { MetricFamily } from "./metric-family.js";

/** What upstream's names of tiering have and those of the pool lack. */
const TIERING = "tiering_";

/** The full name of a metric: that of upstream, with upstream's prefix. */
export function metricName(prefix: string, { name, isOfPool = false }: MetricFamily): string {
  return (isOfPool && prefix.endsWith(TIERING) ? prefix.slice(0, -TIERING.length) : prefix) + name;
}
