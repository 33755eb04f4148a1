import type { EvictionPolicyName, ModelSpec } from "../contracts/offloading-spec.js";

/** A whole config, checked and with its defaults. Frozen at every depth. */
export interface TieringConfig {
  readonly specName: string;
  /** Where an out-of-tree spec comes from. */
  readonly specModulePath?: string;
  /** Bytes of the primary pool. */
  readonly cpuBytesToUse: number;
  /** Bytes of one block. */
  readonly blockBytes: number;
  /** Blocks that fit into the pool: `floor(cpuBytesToUse / blockBytes)`. */
  readonly numBlocks: number;
  readonly evictionPolicy: EvictionPolicyName;
  readonly enableKvCacheEvents: boolean;
  /** Seconds after which a pending look-up or promotion is a miss for its requester; absent = never. */
  readonly pendingDeadlineS?: number;
  readonly model: ModelSpec;
  /** Copies of the caller's entries, for the factory to create the tiers from. */
  readonly secondaryTiers: readonly Readonly<Record<string, unknown>>[];
}
