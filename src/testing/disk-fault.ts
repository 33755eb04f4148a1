/**
 * Kinds of file-system calls, each with every form of it that a worker thread may use: `read` is `readv` too, `stat` also
 * `lstat`, `fstat` and `realpath`, `unlink` also `rm`, `readdir` also `opendir`, `sync` is `fsync` and `fdatasync`,
 * `truncate` and `utimes` are those by path and by descriptor.
 */
export type DiskCall =
  | "open"
  | "close"
  | "read"
  | "write"
  | "stat"
  | "rename"
  | "unlink"
  | "mkdir"
  | "readdir"
  | "truncate"
  | "sync"
  | "utimes";

/** Errors of a disk, as `code` names them. */
export type DiskErrorCode =
  | "EACCES"
  | "EBUSY"
  | "EDQUOT"
  | "EEXIST"
  | "EINVAL"
  | "EIO"
  | "EMFILE"
  | "ENODEV"
  | "ENOENT"
  | "ENOSPC"
  | "ENOTDIR"
  | "EPERM"
  | "EROFS"
  | "ESTALE";

/** Which of the calls go wrong; without any of these all do. */
export interface FaultTrigger {
  /** Every nth call, counted from when the fault was set, over all threads. */
  readonly every?: number;
  /** Share of the calls, above 0 to 1. */
  readonly rate?: number;
  /** The same seed picks the same calls of a `rate`, by their number. Default 1. */
  readonly seed?: number;
}

/** The call fails. A `close` fails after the descriptor is closed, as on a network mount that reports late. */
export interface DiskError extends FaultTrigger {
  readonly error: DiskErrorCode;
  /** Of a `read` or `write`: half of the bytes are moved before it fails. */
  readonly afterHalf?: boolean;
  /** Only with a descriptor that was opened with `O_DIRECT`, or at its opening. */
  readonly directOnly?: boolean;
}

/** A `read` or `write` moves at most so many bytes, and says so. */
export interface ShortTransfer extends FaultTrigger {
  readonly maxBytes: number;
}

/**
 * The call does not return until it is released, as on a mount that is gone. It hangs inside the operating system: to
 * end the thread does not end the call. Needs `mkfifo`, so not on Windows.
 */
export interface Hang extends FaultTrigger {
  readonly hang: true;
}

export type DiskFault = DiskError | ShortTransfer | Hang;
