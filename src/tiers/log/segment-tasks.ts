import type { DiskWorkerData, IoFailure, IoOutcome } from "../disk/disk-io.js";
import type { DiskNamespace } from "../disk/disk-namespace.js";
import type { DiskWorkers } from "../disk/disk-workers.js";
import type { NamespaceId } from "./worker/segment-format.js";

/** What the worker threads of one log are started with. */
export interface SegmentWorkerData extends DiskWorkerData {
  /** Blocks of a segment. */
  readonly slots: number;
  readonly namespace: NamespaceId;
  readonly checksum: boolean;
}

/** A segment, as a thread needs to know it. */
export interface SegmentRef {
  /** Descriptors belong to the process: every thread can use it. */
  readonly fd: number;
  /** The table of entries in memory, shared with all threads. */
  readonly table: SharedArrayBuffer;
  readonly epoch: number;
}

/**
 * Blocks to move. Block `i` is `blockBytes` bytes at `offsets[i]` of buffer `buffers[i]`; in their order they belong to
 * the slots of `runs`, which has three words for each: index in `segments`, first slot, count. Few and flat arrays,
 * because cloning objects for a thread costs as much as a small transfer.
 *
 * For a store the keys of the entries are in the table already; the rest of them is the thread's to add.
 */
export interface MoveTask {
  readonly op: "store" | "load";
  readonly segments: readonly SegmentRef[];
  readonly runs: Uint32Array;
  readonly buffers: readonly number[];
  readonly offsets: readonly number[];
}

/** Reads header and table of a segment, and blanks in memory what does not count. */
export interface ScanTask {
  readonly op: "scan";
  readonly fd: number;
  readonly table: SharedArrayBuffer;
  /** Whether blocks without a checksum are whole; if not, their entries are removed from the file too. */
  readonly trustUnchecked: boolean;
}

/** What a scan found: `epoch` is `null` when it is no segment of ours, or one of another geometry. */
export interface Scanned {
  readonly epoch: number | null;
  /** Whether any block is stored without a checksum. */
  readonly hasUnchecked: boolean;
}

/** Empties a segment, by a header with a new epoch. Answered with whether `token` was there afterwards. */
export interface FormatTask {
  readonly op: "format";
  readonly fd: number;
  readonly epoch: number;
  readonly token: string;
}

/** Blanks entries, in memory and in the file. */
export interface EraseTask {
  readonly op: "erase";
  readonly fd: number;
  readonly table: SharedArrayBuffer;
  readonly slots: readonly number[];
}

/** Waits until everything is on the disk. */
export interface SyncTask {
  readonly op: "sync";
  readonly fd: number;
}

/** Where a root is. */
export interface LogRoot {
  /** Absolute path. */
  readonly path: string;
  /** What it was on when it was opened; `null`: it was not yet. */
  readonly device: number | null;
}

/**
 * Makes the folders of a namespace, as far as they are missing. A root that was opened before must be there, and what it
 * was on: what is below the place where a disk was mounted is not its own.
 */
export interface FoldersTask {
  readonly op: "folders";
  readonly root: LogRoot;
  readonly namespace: DiskNamespace;
}

/** What was opened, by real paths. */
export interface OpenedFolders {
  /** Folder of the segments. */
  readonly folder: string;
  readonly root: LogRoot;
}

export type SegmentTask = FoldersTask | MoveTask | ScanTask | FormatTask | EraseTask | SyncTask;

/** What each task is answered with. */
export interface SegmentReplies {
  readonly folders: OpenedFolders | IoFailure;
  readonly store: MoveReply;
  readonly load: MoveReply;
  readonly scan: Scanned | IoFailure;
  readonly format: boolean | IoFailure;
  readonly erase: IoOutcome;
  readonly sync: IoOutcome;
}

/** One outcome per block; `null` when all went well, as is the rule. */
export type MoveReply = readonly IoOutcome[] | null;

export type SegmentWorkers = DiskWorkers<SegmentTask, SegmentReplies>;
