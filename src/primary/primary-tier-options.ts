import type { EvictionPolicyName } from "../contracts/offloading-spec.js";

export interface PrimaryTierOptions {
  /** Slots of the pool, a positive integer. */
  readonly numBlocks: number;
  readonly evictionPolicy: EvictionPolicyName;
  /** Whether `takeEvents` has anything to give. */
  readonly recordEvents: boolean;
}
