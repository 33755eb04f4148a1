import type { TierContext } from "../../../src/contracts/tier-context.js";
import { createTierContext } from "../../../src/testing/index.js";
import { RedisTier } from "../../../src/tiers/redis/redis-tier.js";
import { RedisTierConfig } from "../../../src/tiers/redis/redis-tier-config.js";

export interface RedisTierOptions {
  readonly config: Partial<RedisTierConfig>;
  readonly context?: Partial<TierContext<RedisTierConfig>>;
}

/** A tier with these options, not initialized; what is left out has its default. */
export function makeRedisTier({ config, context = {} }: RedisTierOptions): RedisTier {
  const options = Object.assign(new RedisTierConfig(), config);
  return new RedisTier(createTierContext({ ...context, tierType: "redis", config: options }));
}
