import type { DiskNamespace } from "../disk/disk-namespace.js";
import type { DiskWorkerData, IoFailure } from "../disk/disk-io.js";
import type { DiskWorkers } from "../disk/disk-workers.js";

/** What the keeper's thread is started with. */
export interface KeeperData extends DiskWorkerData {
  /** As configured. */
  readonly rootDir: string;
  readonly namespace: DiskNamespace;
  /** What the names of this tier's temporary files begin with. */
  readonly writerId: string;
  readonly host: string;
  /** Age, in seconds, from which a temporary file is removed. */
  readonly tempMaxAgeS: number;
  /** Whether files are counted. Without it the keeper opens, sweeps, removes and clears only. */
  readonly isCounting: boolean;
}

/** What the keeper knows of the disk. */
export interface DiskStatus {
  /** Bytes of all files of ours below the root. */
  readonly used: number;
  /** Whether all of it was counted: not before the first scan, nor when the thread had to be started again. */
  readonly isCounted: boolean;
}

/** Makes the folders; answered with the real path of the folder of blocks. */
export interface OpenTask {
  readonly op: "open";
}

/** Goes over the whole root, a few milliseconds of it in each task; `isFirst` begins anew. */
export interface ScanTask {
  readonly op: "scan";
  readonly isFirst: boolean;
}

export interface ScanReply {
  readonly isDone: boolean;
  readonly tempsRemoved: number;
  /** The first of the folders that could not be read, if there was one. */
  readonly fault: IoFailure | null;
  readonly status: DiskStatus;
}

/**
 * What became of files, in order, a line each: `+<bytes> <file>` was stored, `~<file>` was read, `=<file>` was used if it is
 * there, `?<file>` may have changed, `!<file>` was being written by a thread that was ended; `-<thread>` is a thread that is
 * gone, and `@<seconds>` the time on the tier's clock from then on. One string, because cloning it for a thread is cheaper
 * than cloning an array.
 */
export interface NoteTask {
  readonly op: "note";
  readonly lines: string;
}

/** Writes down when files were used, a few milliseconds of it; answered with whether all is written. */
export interface PersistTask {
  readonly op: "persist";
  /** Seconds on the tier's clock. */
  readonly now: number;
}

/**
 * Takes the lease, or keeps it; answered with whether it is held. `renew` leaves it to another that has it, `ask` wants it
 * from that one, and `keep` passes it on to one that has asked for it.
 */
export interface LeaseTask {
  readonly op: "lease";
  readonly how: "renew" | "ask" | "keep";
  /** Writer ids of holders that are gone, although their process is not. */
  readonly lost: readonly string[];
}

/** Picks the files to evict next: the least recently used, of `bytes` together, but none of `busy` and at most `limit`. */
export interface ChooseTask {
  readonly op: "choose";
  readonly bytes: number;
  readonly busy: readonly string[];
  readonly limit: number;
}

export interface ChooseReply {
  readonly count: number;
  /** Those of the tier's own namespace. */
  readonly files: readonly string[];
  /** Whether it could not be removed before, and is tried again because nothing else is left. */
  readonly isRetry: boolean;
}

/** Removes what was chosen, but for `spared`. */
export interface EvictTask {
  readonly op: "evict";
  readonly spared: readonly string[];
}

export interface EvictReply {
  /** Of the tier's own namespace, those that are gone. */
  readonly files: readonly string[];
  /** Files that were removed, of any namespace. */
  readonly evictions: number;
  /** Bytes less than before. */
  readonly bytes: number;
  readonly fault: IoFailure | null;
  readonly status: DiskStatus;
}

/** Removes blocks, as far as they are there. */
export interface RemoveTask {
  readonly op: "remove";
  readonly files: readonly string[];
}

/** Removes what is ours from some of the tier's own sub-folders. */
export interface ClearTask {
  readonly op: "clear";
  readonly subFolders: readonly string[];
}

/** Removes temporary files of others before their time, as far as nobody has written to them for a minute. */
export interface SweepTask {
  readonly op: "sweep";
}

export interface RemovalReply {
  readonly fault: IoFailure | null;
  readonly status: DiskStatus;
}

/** Gives the lease back. */
export interface CloseTask {
  readonly op: "close";
}

export type KeeperTask =
  | OpenTask
  | ScanTask
  | NoteTask
  | PersistTask
  | LeaseTask
  | ChooseTask
  | EvictTask
  | RemoveTask
  | ClearTask
  | SweepTask
  | CloseTask;

/** What each task is answered with, unless it fails. */
export interface KeeperReplies {
  readonly open: string;
  readonly scan: ScanReply;
  readonly note: DiskStatus;
  readonly persist: boolean;
  readonly lease: boolean;
  readonly choose: ChooseReply;
  readonly evict: EvictReply;
  readonly remove: RemovalReply;
  readonly clear: RemovalReply;
  readonly sweep: RemovalReply;
  readonly close: null;
}

/** A failure loses its `code` as an `Error` on the way between threads, so it is answered as a value. */
export type Answered<T> = { readonly value: T } | { readonly failure: IoFailure };

export type KeeperThread = DiskWorkers<KeeperTask, { [Op in keyof KeeperReplies]: Answered<KeeperReplies[Op]> }>;
