import * as fs from "node:fs";
import { getSystemErrorName } from "node:util";
import { workerData } from "node:worker_threads";
import { FaultControl, KIND } from "./fault-control.js";

/**
 * `node:fs` whose synchronous calls go wrong as a `FaultyDisk` says, for the worker threads of a tier.
 */
export * from "node:fs";

/** @typedef {import("../disk-fault.js").DiskCall} DiskCall */
/** @typedef {import("./fault-control.js").Rule} Rule */

/** @type {unknown} */
const data = workerData;
const control = new FaultControl(/** @type {{ ioControl: SharedArrayBuffer }} */ (data).ioControl);
/** Absent where there is no direct I/O. */
const O_DIRECT = fs.constants.O_DIRECT ?? 0;

/** @param {Rule} rule @param {string} name of the call */
function failureOf({ value }, name) {
  const code = getSystemErrorName(-value);
  return Object.assign(new Error(`${code}: injected fault, ${name}`), { code, errno: -value, syscall: name });
}

/** Opens a pipe to read, which the operating system lets nobody do before somebody opens it to write. */
function hang() {
  try {
    fs.closeSync(fs.openSync(control.pipe, "r"));
  } catch {
    // The pipe is gone, and with it the reason to wait.
  }
}

/**
 * @template {unknown[]} A
 * @template R
 * @param {DiskCall} call
 * @param {string} name
 * @param {(...args: A) => R} fn
 * @returns {(...args: A) => R} `fn`, with faults that come before it
 */
function faulty(call, name, fn) {
  return (...args) => {
    const rule = control.next(call, typeof args[0] === "number" && control.isDirect(args[0]));
    if (rule?.kind === KIND.hang) hang();
    if (rule?.kind === KIND.error) throw failureOf(rule, name);
    return fn(...args);
  };
}

/**
 * A call that moves `length` bytes, or fewer.
 *
 * @param {DiskCall} call @param {string} name @param {number} fd @param {number} length
 * @param {(length: number) => number} move moves that many bytes, returns how many it did
 */
function transfer(call, name, fd, length, move) {
  const rule = control.next(call, control.isDirect(fd));
  if (rule?.kind === KIND.hang) hang();
  if (rule?.kind === KIND.short) return move(Math.min(length, rule.value));
  if (rule?.kind === KIND.error) {
    if (rule.afterHalf) move(length >> 1);
    throw failureOf(rule, name);
  }
  return move(length);
}

/** The first `length` bytes of `buffers`. @param {readonly NodeJS.ArrayBufferView[]} buffers @param {number} length */
function headOf(buffers, length) {
  const head = [];
  for (const { buffer, byteOffset, byteLength } of buffers) {
    if (length > 0) head.push(new Uint8Array(buffer, byteOffset, Math.min(byteLength, length)));
    length -= byteLength;
  }
  return head;
}

/** @param {readonly NodeJS.ArrayBufferView[]} buffers */
const totalOf = (buffers) => buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);

/** @type {(path: string, flags?: string | number, mode?: number) => number} */
export function openSync(path, flags = "r", mode) {
  const isDirect = typeof flags === "number" && O_DIRECT !== 0 && (flags & O_DIRECT) !== 0;
  const rule = control.next("open", isDirect);
  if (rule?.kind === KIND.hang) hang();
  if (rule?.kind === KIND.error) throw failureOf(rule, "open");
  const fd = fs.openSync(path, flags, mode);
  control.noteOpened(fd, isDirect);
  return fd;
}

/** @param {number} fd */
export function closeSync(fd) {
  const rule = control.next("close", control.isDirect(fd));
  if (rule?.kind === KIND.hang) hang();
  control.noteOpened(fd, false);
  fs.closeSync(fd);
  if (rule?.kind === KIND.error) throw failureOf(rule, "close");
}

/** @type {(fd: number, buffer: NodeJS.ArrayBufferView, offset?: number, length?: number, position?: number | null) => number} */
export function writeSync(fd, buffer, offset = 0, length = buffer.byteLength - offset, position = null) {
  return transfer("write", "write", fd, length, (bytes) => fs.writeSync(fd, buffer, offset, bytes, position));
}

/** @type {(fd: number, buffer: NodeJS.ArrayBufferView, offset?: number, length?: number, position?: number | null) => number} */
export function readSync(fd, buffer, offset = 0, length = buffer.byteLength - offset, position = null) {
  return transfer("read", "read", fd, length, (bytes) => fs.readSync(fd, buffer, offset, bytes, position));
}

/** @type {(fd: number, buffers: readonly NodeJS.ArrayBufferView[], position?: number) => number} */
export function writevSync(fd, buffers, position) {
  return transfer("write", "writev", fd, totalOf(buffers), (n) => fs.writevSync(fd, headOf(buffers, n), position));
}

/** @type {(fd: number, buffers: readonly NodeJS.ArrayBufferView[], position?: number) => number} */
export function readvSync(fd, buffers, position) {
  return transfer("read", "readv", fd, totalOf(buffers), (n) => fs.readvSync(fd, headOf(buffers, n), position));
}

export const statSync = faulty("stat", "stat", fs.statSync);
export const lstatSync = faulty("stat", "lstat", fs.lstatSync);
export const fstatSync = faulty("stat", "fstat", fs.fstatSync);
export const realpathSync = Object.assign(faulty("stat", "realpath", fs.realpathSync), {
  native: faulty("stat", "realpath", fs.realpathSync.native),
});
export const renameSync = faulty("rename", "rename", fs.renameSync);
export const unlinkSync = faulty("unlink", "unlink", fs.unlinkSync);
export const rmSync = faulty("unlink", "rm", fs.rmSync);
export const mkdirSync = faulty("mkdir", "mkdir", fs.mkdirSync);
export const readdirSync = faulty("readdir", "scandir", fs.readdirSync);
export const opendirSync = faulty("readdir", "opendir", fs.opendirSync);
export const truncateSync = faulty("truncate", "truncate", fs.truncateSync);
export const ftruncateSync = faulty("truncate", "ftruncate", fs.ftruncateSync);
export const fsyncSync = faulty("sync", "fsync", fs.fsyncSync);
export const fdatasyncSync = faulty("sync", "fdatasync", fs.fdatasyncSync);
export const utimesSync = faulty("utimes", "utimes", fs.utimesSync);
export const lutimesSync = faulty("utimes", "lutimes", fs.lutimesSync);
export const futimesSync = faulty("utimes", "futimes", fs.futimesSync);
