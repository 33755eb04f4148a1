import { execFileSync } from "node:child_process";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";

/** The numbers by which `faulty-fs.js` knows its faults. */
const FAULTS = {
  none: 0,
  /** Half of a write reaches the file, then ENOSPC. */
  writeHalf: 1,
  shortWrites: 2,
  failClose: 3,
  failRename: 4,
  shortReads: 5,
  hangRead: 6,
  hangWrite: 7,
} as const;

/** What goes wrong in the worker threads of an fs tier, from now on. */
export class FsFaults {
  readonly ioModule = new URL("./faulty-fs.js", import.meta.url).href;
  readonly ioControl = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  readonly #control = new Int32Array(this.ioControl);

  set(fault: keyof typeof FAULTS): void {
    Atomics.store(this.#control, 0, FAULTS[fault]);
  }

  /** Prepares `root` for threads that hang. */
  prepareHang(root: string): void {
    execFileSync("mkfifo", [join(root, "hang.fifo")]);
  }

  /** Resolves when `count` calls have hung since the start. */
  async untilHung(count: number): Promise<void> {
    while (Atomics.load(this.#control, 1) < count) await nextTurn();
  }

  /** Lets every call go on that hangs. */
  async release(root: string): Promise<void> {
    this.set("none");
    await (await open(join(root, "hang.fifo"), "r+")).close();
  }
}
