import type { MetricFamily } from "./metric-family.js";
import { OWN_FAMILIES } from "./own-families.js";
import { POOL_FAMILIES } from "./pool-families.js";
import { TIERING_FAMILIES } from "./tiering-families.js";

/** Every metric that there is. */
export const FAMILIES: readonly MetricFamily[] = [...TIERING_FAMILIES, ...POOL_FAMILIES, ...OWN_FAMILIES];
