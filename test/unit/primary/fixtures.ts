import { makeOffloadKey, type OffloadKey } from "../../../src/contracts/offload-key.js";
import type { EvictionPolicyName } from "../../../src/contracts/offloading-spec.js";
import { PrimaryTier } from "../../../src/primary/primary-tier.js";

/** The keys of blocks that are told apart by a number. */
export const keysOf = (...blocks: number[]): OffloadKey[] =>
  blocks.map((block) => makeOffloadKey(block.toString(16).padStart(8, "0")));

/** A pool that holds `blocks`, idle, the first of them the least recently used. */
export function poolWith(
  numBlocks: number,
  blocks: number[],
  evictionPolicy: EvictionPolicyName = "lru",
  recordEvents = false,
): PrimaryTier {
  const pool = new PrimaryTier({ numBlocks, evictionPolicy, recordEvents });
  pool.prepareStore(keysOf(...blocks));
  pool.completeStore(keysOf(...blocks), true);
  pool.takeEvents();
  return pool;
}
