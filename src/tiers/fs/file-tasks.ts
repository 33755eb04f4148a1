import type { DiskWorkerData, IoOutcome } from "../disk/disk-io.js";
import type { DiskWorkers } from "../disk/disk-workers.js";

/** What the worker threads of one pool are started with. */
export interface FileWorkerData extends DiskWorkerData {
  /** Real path of the folder of all blocks. */
  readonly folder: string;
  /** Part of the name of every temporary file, unlike that of any other process that writes to the folder. */
  readonly writerId: string;
  /** Whether blocks are stored with a checksum, and verified by it. */
  readonly checksum?: boolean;
  /** One word, not 0 once direct I/O was refused; absent = it is not tried. */
  readonly direct?: SharedArrayBuffer | null;
}

/**
 * Blocks to move: block `i` between `files[i]` and `blockBytes` bytes at `offsets[i]` of buffer `buffers[i]`. Three
 * arrays instead of one of objects, because cloning many small objects for a thread costs as much as a small transfer.
 */
export interface TransferTask {
  readonly op: "store" | "load";
  /** `<sub-folder>/<name>`; `null` for a key that has no file. */
  readonly files: readonly (string | null)[];
  readonly buffers: readonly number[];
  readonly offsets: readonly number[];
}

/** Answered with one boolean per file: whether it is there as a whole block. */
export interface HasTask {
  readonly op: "has";
  readonly files: readonly (string | null)[];
}

export type FileTask = TransferTask | HasTask;

/**
 * What each task is answered with. An outcome is a number of bytes: of the file for `store`, 0 when it was there already, and
 * of the block for `load`.
 */
export interface FileReplies {
  readonly store: readonly IoOutcome[];
  readonly load: readonly IoOutcome[];
  readonly has: boolean[];
}

export type FileWorkers = DiskWorkers<FileTask, FileReplies>;
