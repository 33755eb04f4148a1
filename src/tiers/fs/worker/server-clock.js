/**
 * The time of the file system, which need not be that of this machine: that of a file which was just made there.
 */
export class ServerClock {
  #io;
  #probe;

  /**
   * @param {Pick<typeof import("node:fs"), "openSync" | "fstatSync" | "closeSync" | "unlinkSync" | "constants">} io
   * @param {() => string} probe path for a file of ours, new each time
   */
  constructor(io, probe) {
    this.#io = io;
    this.#probe = probe;
  }

  /** Seconds since the epoch. Throws when no file can be made. */
  now() {
    const path = this.#probe();
    const { O_WRONLY, O_CREAT, O_EXCL } = this.#io.constants;
    const fd = this.#io.openSync(path, O_WRONLY | O_CREAT | O_EXCL, 0o644);
    try {
      try {
        return this.#io.fstatSync(fd).mtimeMs / 1000;
      } finally {
        this.#io.closeSync(fd);
      }
    } finally {
      this.#io.unlinkSync(path);
    }
  }
}
