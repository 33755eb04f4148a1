import { formatByteSize } from "../../config/byte-size.js";
import { ByteSize } from "../../config/byte-size-option.js";
import type { ConfigProblem } from "../../errors/kv-tier-error.js";
import { Count, Fraction, Seconds } from "../../config/number-options.js";
import { Flag, OneOf, Text } from "../../config/value-options.js";
import { DIRECT_IO_MODES, type DirectIoMode } from "./direct-io-mode.js";
import { RootDirs, rootDirsOf } from "./root-dirs.js";
import { TRAILER_BYTES } from "./worker/block-layout.js";

/** Of each option: every thread is a worker with a heap of its own, and a slip must not start a million. */
const MAX_THREADS = 64;

/** Options of the `fs` tier. */
export class FsTierConfig {
  /**
   * Folder of all namespaces; made if it is not there. Relative to the working folder. May be shared by processes. With
   * `path_sharding` a list of folders, separated by commas.
   */
  @Text()
  @RootDirs()
  readonly rootDir!: string;

  /**
   * How blocks are spread over the folders of `root_dir`. Each has the same share of `max_bytes`, and threads, queues and
   * deadlines of its own: one that hangs or fails costs its own blocks only.
   */
  @OneOf(["by_block_hash"], { optional: true })
  readonly pathSharding?: "by_block_hash";

  /**
   * Worker threads, for each folder: the sum of both is the most there are. Every thread does both, loads first, so that
   * it does not matter which of the two is larger. Few threads beat many on a local disk; a network mount may want more.
   */
  @Count({ max: MAX_THREADS })
  readonly nReadThreads: number = 1;

  @Count({ max: MAX_THREADS })
  readonly nWriteThreads: number = 1;

  /** Blocks of stores that may wait, for each folder. A store over it ends at once as failed, counted as dropped. */
  @Count()
  readonly maxQueuedBlocks: number = 4096;

  /** Seconds from its submission after which a job or a look-up is given up. */
  @Seconds()
  readonly deadlineS: number = 30;

  /**
   * Whether blocks are stored with a checksum of namespace, name, size and bytes, and loads verify it: one that does not
   * match is a failed load, and its file is removed. Blocks that were stored without one load all the same.
   */
  @Flag()
  readonly checksum: boolean = true;

  /**
   * The most bytes that files of kvtier take below `root_dir`: those of other models and of earlier runs are counted and
   * evicted too, whatever else is there is not. Left out, the disk is the bound.
   */
  @ByteSize({ optional: true })
  readonly maxBytes?: number;

  /** Share of `max_bytes` down to which blocks are evicted, the least recently used first, when a store finds no room. */
  @Fraction()
  readonly lowWater: number = 0.9;

  /**
   * Whether stores and loads go past the page cache, where the block is a multiple of 4,096 bytes. `auto`: blocks of 1 MiB
   * or more, when `max_bytes` is more than the machine's memory. What the file system refuses goes through the page cache.
   */
  @OneOf(DIRECT_IO_MODES)
  readonly directIo: DirectIoMode = "auto";

  /**
   * Age, in seconds, from which a temporary file counts as left by a process that is gone, and is removed; 60 when nothing
   * else is left to make room with below `max_bytes`.
   */
  @Seconds()
  readonly tempMaxAgeS: number = 3600;

  /** What does not fit blocks of `blockBytes` bytes. */
  problemsFor(blockBytes: number): readonly ConfigProblem[] {
    const { maxBytes } = this;
    const fileBytes = blockBytes + (this.checksum ? TRAILER_BYTES : 0);
    const least = fileBytes * rootDirsOf(this.rootDir, this.pathSharding !== undefined).length;
    if (maxBytes === undefined || maxBytes >= least) return [];
    const message = `must have room for a block in each root_dir, ${formatByteSize(least)}; got ${maxBytes}`;
    return [{ path: "max_bytes", message }];
  }
}
