import type { BlockSizedOptions } from "../../config/block-sized-options.js";
import { ByteSize } from "../../config/byte-size-option.js";
import { Count, Seconds } from "../../config/number-options.js";
import { Flag, Text } from "../../config/value-options.js";
import type { ConfigProblem } from "../../errors/kv-tier-error.js";
import { blockSizeProblems, maxBytesProblem, segmentBytesProblem } from "./plan-segments.js";
import { SizeRule } from "./size-rule.js";

/** Of each option: every thread is a worker with a heap of its own, and a slip must not start a million. */
const MAX_THREADS = 64;

/** Options of the `log` tier. */
export class LogTierConfig implements BlockSizedOptions {
  /**
   * Folder of all namespaces; made if it is not there. Relative to the working folder. One process at a time owns the
   * folder of a model and rank in it.
   */
  @Text()
  readonly rootDir!: string;

  /**
   * The most bytes that the segment files take together, 32 TiB at most; there must be room for two segments of one block.
   * Left out, a segment is added whenever the others are full, until there are 512 or the disk is full.
   */
  @ByteSize({ optional: true })
  @SizeRule(maxBytesProblem)
  readonly maxBytes?: number;

  /**
   * Bytes of a segment file: what is recycled at a time. Room for a block at least; at most half of `max_bytes`, and 64 GiB;
   * and so large that `max_bytes` takes no more than 512 segments, as each is a file that stays open. Left out, the least
   * multiple of 256 MiB with which it does not, or a quarter of `max_bytes` if that is less. Segments of another size, from
   * an earlier run, are given up.
   */
  @ByteSize({ optional: true })
  @SizeRule(segmentBytesProblem)
  readonly segmentBytes?: number;

  /**
   * Whether blocks are stored with a checksum of namespace, key, size and bytes, and loads verify it: one that does not match is a
   * failed load, and the block is forgotten. Blocks that were stored without one load all the same.
   */
  @Flag()
  readonly checksum: boolean = true;

  /**
   * Worker threads: the sum of both is the most that move blocks. Every thread does both, loads first, so that it does
   * not matter which of the two is larger.
   */
  @Count({ max: MAX_THREADS })
  readonly nReadThreads: number = 1;

  @Count({ max: MAX_THREADS })
  readonly nWriteThreads: number = 1;

  /** Blocks of stores that may wait. A store over it ends at once as failed, counted as dropped. */
  @Count()
  readonly maxQueuedBlocks: number = 4096;

  /** Seconds from its submission after which a job is given up. */
  @Seconds()
  readonly deadlineS: number = 30;

  /** What does not fit blocks of `blockBytes` bytes. */
  problemsFor(blockBytes: number): readonly ConfigProblem[] {
    return blockSizeProblems(this, blockBytes);
  }
}
