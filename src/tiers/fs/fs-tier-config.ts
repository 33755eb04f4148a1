import { Count, Seconds } from "../../config/number-options.js";
import { Flag, Text } from "../../config/value-options.js";

/** Of each option: every thread is a worker with a heap of its own, and a slip must not start a million. */
const MAX_THREADS = 64;

/** Options of the `fs` tier. */
export class FsTierConfig {
  /** Folder of all namespaces; made if it is not there. Relative to the working folder. May be shared by processes. */
  @Text()
  readonly rootDir!: string;

  /**
   * Worker threads: the sum of both is the most there are. Every thread does both, loads first, so that it does not
   * matter which of the two is larger. Few threads beat many on a local disk; a network mount may want more.
   */
  @Count({ max: MAX_THREADS })
  readonly nReadThreads: number = 1;

  @Count({ max: MAX_THREADS })
  readonly nWriteThreads: number = 1;

  /** Blocks of stores that may wait. A store over it ends at once as failed, counted as dropped. */
  @Count()
  readonly maxQueuedBlocks: number = 4096;

  /** Seconds from its submission after which a job or a look-up is given up. */
  @Seconds()
  readonly deadlineS: number = 30;

  /**
   * Whether blocks are stored with a checksum of name, size and bytes, and loads verify it: one that does not match is a
   * failed load, and its file is removed. Blocks that were stored without one load all the same.
   */
  @Flag()
  readonly checksum: boolean = true;
}
