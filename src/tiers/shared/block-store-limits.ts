import { KvTierError } from "../../errors/kv-tier-error.js";

/** What bounds a `BlockStoreTier`. */
export interface BlockStoreLimits {
  /**
   * Calls of `readBatch` and `writeBatch` in flight at once, loads and stores together. Stores never hold the last one,
   * so that a stuck writer cannot starve loads; with 1 both share it.
   */
  readonly concurrency: number;
  /** Blocks in one such call, at most. All blocks of a call belong to one job. */
  readonly batchBlocks: number;
  /** Blocks of stores that may wait. A store that would make it more ends at once as failed, counted as dropped. */
  readonly maxQueuedBlocks: number;
  /** Seconds from its submission after which a job or a look-up is given up; `Infinity` = never. */
  readonly deadlineS: number;
}

export const DEFAULT_BLOCK_STORE_LIMITS: BlockStoreLimits = Object.freeze({
  concurrency: 8,
  batchBlocks: 1,
  maxQueuedBlocks: 4096,
  deadlineS: 30,
});

/**
 * Returns `limits` when they can work.
 *
 * @throws KvTierError `INVALID_STATE` when a count is not a positive integer or the deadline not a positive number.
 */
export function checkLimits(limits: BlockStoreLimits, className: string): BlockStoreLimits {
  for (const name of ["concurrency", "batchBlocks", "maxQueuedBlocks"] as const) {
    if (!Number.isSafeInteger(limits[name]) || limits[name] < 1) {
      throw new KvTierError(
        "INVALID_STATE",
        `${className}: limits.${name} must be a positive integer; got ${limits[name]}.`,
      );
    }
  }
  if (!(limits.deadlineS > 0)) {
    throw new KvTierError(
      "INVALID_STATE",
      `${className}: limits.deadlineS must be above 0 seconds; got ${limits.deadlineS}.`,
    );
  }
  return limits;
}
