/** Where worker threads get their file-system calls from. */
export interface DiskIo {
  /** URL of the module: `node:fs`, but in tests. */
  readonly ioModule: string;
  /** What a test's module is steered by. */
  readonly ioControl?: SharedArrayBuffer;
}

/** What every worker thread is started with. */
export interface DiskWorkerData extends DiskIo {
  readonly blockBytes: number;
  /** The memory that blocks are moved from and to. */
  readonly buffers: readonly SharedArrayBuffer[];
}

/** A block's number, or what went wrong: an `Error` would lose its `code` on the way between threads. */
export type IoOutcome = number | IoFailure;

export interface IoFailure {
  readonly message: string;
  readonly code?: string;
}
