import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { workerData } from "node:worker_threads";

/**
 * `node:fs` with faults, for the worker threads of the fs tier. One number, shared with the test, says which fault is
 * on; see `fs-faults.ts`, which has the same numbers.
 */
export * from "node:fs";

/** @type {unknown} */
const data = workerData;
const { folder, ioControl } = /** @type {{ folder: string; ioControl: SharedArrayBuffer }} */ (data);
const control = new Int32Array(ioControl);
const FAULTS = { writeHalf: 1, shortWrites: 2, failClose: 3, failRename: 4, shortReads: 5, hangRead: 6, hangWrite: 7 };
const SHORT_BYTES = 7;

/** @param {keyof typeof FAULTS} fault */
const isOn = (fault) => Atomics.load(control, 0) === FAULTS[fault];

/** @param {string} code */
const failure = (code) => Object.assign(new Error(`${code}: injected`), { code });

/** Blocks this thread in a system call that nothing interrupts, until the test opens the other end of the pipe. */
function hang() {
  Atomics.add(control, 1, 1);
  fs.closeSync(fs.openSync(join(dirname(folder), "hang.fifo"), "r"));
}

/** @param {number} fd @param {Uint8Array} buffer @param {number} offset @param {number} length */
export function writeSync(fd, buffer, offset, length) {
  if (isOn("hangWrite")) hang();
  if (isOn("writeHalf")) {
    fs.writeSync(fd, buffer, offset, length >> 1);
    throw failure("ENOSPC");
  }
  return fs.writeSync(fd, buffer, offset, isOn("shortWrites") ? Math.min(length, SHORT_BYTES) : length);
}

/** @param {number} fd @param {Uint8Array} buffer @param {number} offset @param {number} length @param {number} position */
export function readSync(fd, buffer, offset, length, position) {
  if (isOn("hangRead")) hang();
  return fs.readSync(fd, buffer, offset, isOn("shortReads") ? Math.min(length, SHORT_BYTES) : length, position);
}

/** @param {number} fd */
export function closeSync(fd) {
  fs.closeSync(fd);
  if (isOn("failClose")) throw failure("EIO");
}

/** @param {string} from @param {string} to */
export function renameSync(from, to) {
  if (isOn("failRename")) throw failure("EIO");
  fs.renameSync(from, to);
}
