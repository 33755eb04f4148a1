import type { OffloadKey } from "./offload-key.js";
import type { RequestContext } from "./request-context.js";

/**
 * Blocks to move between the primary pool and one tier. `blockIds[i]` is the slot of `keys[i]`. From submission until
 * the job's result the tier may touch exactly these slots: it reads them for a store, and fills them for a promotion.
 */
export interface TransferJob {
  readonly jobId: number;
  readonly keys: readonly OffloadKey[];
  readonly blockIds: Int32Array;
  /** `true`: tier → primary (a load); `false`: primary → tier (a store). */
  readonly isPromotion: boolean;
  readonly reqContext: RequestContext;
  /** Seconds on the injected clock. */
  readonly submitTime: number;
}

/** The one result of a job. */
export interface JobResult {
  readonly jobId: number;
  /** `true` only if every key of the job succeeded. */
  readonly success: boolean;
  /** For a promotion that failed in part: the keys that did succeed. Absent: all keys share `success`. */
  readonly successfulKeys?: readonly OffloadKey[];
  /** Seconds from the first I/O of the job to its last. */
  readonly transferTime?: number;
  /** Bytes that were really moved: a block that was already stored counts 0. */
  readonly transferBytes?: number;
  /**
   * Set when the job is given up while some of its I/O may still touch the slots (past a deadline, on a hung mount).
   * The slots stay pinned until this settles, whichever way.
   */
  readonly blocksReleased?: Promise<unknown>;
  /**
   * Set when a store was refused before any of its I/O began: the tier's queue is full, it is stalled, or shut down. It
   * counts as dropped and says nothing about how fast the tier is, so no detector hears of it.
   */
  readonly dropped?: true;
}
