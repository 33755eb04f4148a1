/** Where worker threads get their file-system calls from. */
export interface FileIo {
  /** URL of the module: `node:fs`, but in tests. */
  readonly ioModule: string;
  /** What a test's module is steered by. */
  readonly ioControl?: SharedArrayBuffer;
}

/** What the worker threads of one pool are started with. */
export interface FileWorkerData extends FileIo {
  /** Real path of the folder of all blocks. */
  readonly folder: string;
  readonly blockBytes: number;
  /** Part of the name of every temporary file, unlike that of any other process that writes to the folder. */
  readonly writerId: string;
  /** The memory that blocks are moved from and to. */
  readonly buffers: readonly SharedArrayBuffer[];
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

/** Removes blocks, as far as they are there. */
export interface RemoveTask {
  readonly op: "remove";
  readonly files: readonly (string | null)[];
}

/** Removes what is ours from one sub-folder. */
export interface ClearTask {
  readonly op: "clear";
  readonly subFolder: string;
}

export type FileTask = TransferTask | HasTask | RemoveTask | ClearTask;

/** Bytes moved, or what went wrong: an `Error` would lose its `code` on the way between threads. */
export type FileOutcome = number | { readonly message: string; readonly code?: string };

/** What each task is answered with. */
export type FileReply<T extends FileTask> = T extends TransferTask | RemoveTask
  ? readonly FileOutcome[]
  : T extends HasTask
    ? boolean[]
    : FileOutcome;
