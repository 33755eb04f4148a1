import "reflect-metadata";

export type { MetricsOptions } from "./metrics-options.js";
export { registerKvTierMetrics } from "./register-kv-tier-metrics.js";
