/** However small blocks are: more in one batch are hardly cheaper, and hold up what waits behind them. */
const MAX_BATCH_BLOCKS = 64;

/**
 * How many blocks of `blockBytes` bytes make a batch of a tier: at least one.
 *
 * @param batchBytes bytes of a batch at most, unless one block is more
 */
export function batchBlocksFor(batchBytes: number, blockBytes: number): number {
  return Math.max(1, Math.min(MAX_BATCH_BLOCKS, Math.floor(batchBytes / blockBytes)));
}
