import { batchBlocksFor } from "../shared/batch-blocks.js";
import type { BlockStoreLimits } from "../shared/block-store-limits.js";

/** Bytes of one batch: enough to make the way to a thread and back cheap, and few enough to let a load in soon. */
const BATCH_BYTES = 8 * 2 ** 20;

/** The options that bound a tier on threads of its own. */
export interface DiskLimitOptions {
  readonly nReadThreads: number;
  readonly nWriteThreads: number;
  readonly maxQueuedBlocks: number;
  readonly deadlineS: number;
}

/** What bounds a tier, or one of its folders, that moves blocks of `blockBytes` bytes on worker threads. */
export function diskLimits(
  { nReadThreads, nWriteThreads, maxQueuedBlocks, deadlineS }: DiskLimitOptions,
  blockBytes: number,
): BlockStoreLimits {
  return {
    // One batch runs and one waits for each thread, so that a thread never waits for the event loop.
    concurrency: 2 * (nReadThreads + nWriteThreads),
    batchBlocks: batchBlocksFor(BATCH_BYTES, blockBytes),
    maxQueuedBlocks,
    deadlineS,
  };
}
