import { Buffer } from "node:buffer";
import { constants } from "node:os";

/** @typedef {import("../disk-fault.js").DiskCall} DiskCall */

/**
 * What is to happen in a call.
 *
 * @typedef {object} Rule
 * @property {number} kind one of `KIND`
 * @property {number} value the number of the error, or the most bytes to move
 * @property {boolean} afterHalf
 */

export const KIND = Object.freeze({ error: 1, short: 2, hang: 3 });

/** @type {Readonly<Record<DiskCall, number>>} */
const CALLS = {
  open: 0,
  close: 1,
  read: 2,
  write: 3,
  stat: 4,
  rename: 5,
  unlink: 6,
  mkdir: 7,
  readdir: 8,
  truncate: 9,
  sync: 10,
  utimes: 11,
};

/** Words of the control buffer: three counters, then a row for each kind of call, direct descriptors, and a path. */
const [HUNG, INJECTED, PATH_BYTES] = [0, 1, 2];
const ROWS_AT = 16;
const ROW = { kind: 0, value: 1, afterHalf: 2, directOnly: 3, every: 4, rate: 5, seed: 6, calls: 7 };
const ROW_WORDS = 8;
const FDS_AT = ROWS_AT + ROW_WORDS * Object.keys(CALLS).length;
const MAX_FDS = 2 ** 16;
const PATH_AT = FDS_AT + MAX_FDS / 32;
const MAX_PATH_BYTES = 1024;
const RATE_UNIT = 2 ** 30;

/** The faults that are on, in memory that a test shares with all threads. The one place that knows its layout. */
export class FaultControl {
  /** @readonly */
  buffer;
  #words;

  /** @param {SharedArrayBuffer} [buffer] of the other side; absent: a new one */
  constructor(buffer = new SharedArrayBuffer(4 * PATH_AT + MAX_PATH_BYTES)) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer, 0, PATH_AT);
  }

  /** Calls that hung since the start, those that were released included. */
  get hung() {
    return Atomics.load(this.#words, HUNG);
  }

  /** Calls in which a fault came about, since the start. */
  get injected() {
    return Atomics.load(this.#words, INJECTED);
  }

  /** Path of the pipe in which calls hang. */
  get pipe() {
    // A copy: text is not decoded from shared memory.
    return Buffer.from(new Uint8Array(this.buffer, 4 * PATH_AT, Atomics.load(this.#words, PATH_BYTES))).toString();
  }

  set pipe(path) {
    const bytes = Buffer.from(path);
    if (bytes.length > MAX_PATH_BYTES) throw new RangeError(`The path of the pipe is too long: ${path}`);
    new Uint8Array(this.buffer, 4 * PATH_AT).set(bytes);
    Atomics.store(this.#words, PATH_BYTES, bytes.length);
  }

  /**
   * @param {DiskCall} call
   * @param {import("../disk-fault.js").DiskFault | null} fault `null`: none
   */
  set(call, fault) {
    const row = rowOf(call);
    // Off while it is written, so that no thread sees half of the old one and half of the new.
    Atomics.store(this.#words, row + ROW.kind, 0);
    if (fault === null) return;
    const { kind, ...words } = wordsOf(fault);
    for (const [name, word] of Object.entries(words)) {
      Atomics.store(this.#words, row + ROW[/** @type {keyof typeof ROW} */ (name)], word);
    }
    Atomics.store(this.#words, row + ROW.kind, kind);
  }

  /** Takes every hang back. */
  endHangs() {
    for (const call of callNames()) {
      Atomics.compareExchange(this.#words, rowOf(call) + ROW.kind, KIND.hang, 0);
    }
  }

  /**
   * What is to happen in a call that a thread is about to make; `null` when it is to go well.
   *
   * @param {DiskCall} call
   * @param {boolean} isDirect
   * @returns {Rule | null}
   */
  next(call, isDirect) {
    const row = rowOf(call);
    /** @param {keyof typeof ROW} name */
    const word = (name) => Atomics.load(this.#words, row + ROW[name]);
    const kind = word("kind");
    if (kind === 0 || (word("directOnly") === 1 && !isDirect)) return null;
    const count = Atomics.add(this.#words, row + ROW.calls, 1) + 1;
    if (count % word("every") !== 0 || mixed(word("seed"), count) >= word("rate")) return null;
    Atomics.add(this.#words, kind === KIND.hang ? HUNG : INJECTED, 1);
    return { kind, value: word("value"), afterHalf: word("afterHalf") === 1 };
  }

  /** Descriptors belong to the process: one thread may open what another uses. @param {number} fd */
  isDirect(fd) {
    return fd < MAX_FDS && (Atomics.load(this.#words, FDS_AT + (fd >> 5)) & (1 << (fd & 31))) !== 0;
  }

  /** @param {number} fd @param {boolean} isDirect */
  noteOpened(fd, isDirect) {
    if (fd >= MAX_FDS) return;
    const bit = 1 << (fd & 31);
    if (isDirect) Atomics.or(this.#words, FDS_AT + (fd >> 5), bit);
    else Atomics.and(this.#words, FDS_AT + (fd >> 5), ~bit);
  }
}

/** @returns {DiskCall[]} every kind of call */
export function callNames() {
  return /** @type {DiskCall[]} */ (Object.keys(CALLS));
}

/** @param {DiskCall} call */
const rowOf = (call) => ROWS_AT + ROW_WORDS * CALLS[call];

/**
 * @param {import("../disk-fault.js").DiskFault} fault
 * @returns {Record<keyof typeof ROW, number>}
 */
function wordsOf(fault) {
  const { every = 1, rate = 1, seed = 1 } = fault;
  const row = { afterHalf: 0, directOnly: 0, every, rate: Math.round(rate * RATE_UNIT), seed, calls: 0 };
  if ("hang" in fault) return { ...row, kind: KIND.hang, value: 0 };
  if ("maxBytes" in fault) return { ...row, kind: KIND.short, value: fault.maxBytes };
  return {
    ...row,
    kind: KIND.error,
    value: constants.errno[/** @type {"EIO"} */ (fault.error)],
    afterHalf: Number(fault.afterHalf === true),
    directOnly: Number(fault.directOnly === true),
  };
}

/** A number from 0 to `RATE_UNIT - 1`, the same for the same seed and count. @param {number} seed @param {number} count */
function mixed(seed, count) {
  let state = (Math.imul(seed, 0x9e3779b1) + Math.imul(count, 0x85ebca6b)) | 0;
  state = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
  state = Math.imul(state ^ (state >>> 15), 0x735a2d97);
  return (state ^ (state >>> 15)) & (RATE_UNIT - 1);
}
