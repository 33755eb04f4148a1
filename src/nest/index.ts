import "reflect-metadata";

export type { KvTierHealth, TierHealth } from "./kv-tier.health.js";
export type { KvTierDashboardExtras, KvTierDashboardOptions } from "./kv-tier-dashboard-options.js";
export type { KvTierModuleExtras, KvTierModuleOptions, KvTierOptionsFactory } from "./kv-tier-module-options.js";

export { getKvCacheToken, InjectKvCache } from "./inject-kv-cache.js";
export { getTieringManagerToken, InjectTieringManager } from "./inject-tiering-manager.js";
export { KvTierDashboardModule } from "./kv-tier-dashboard.module.js";
export { KvTierHealthIndicator } from "./kv-tier.health.js";
export { KvTierModule } from "./kv-tier.module.js";
export { nestLogger } from "./nest-logger.js";
export { KV_TIER_MODULE_OPTIONS } from "./nest-tokens.js";
