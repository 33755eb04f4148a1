import { PAGE_BYTES } from "./block-layout.js";

/** What a file system, or memory that starts within a page, answers to a direct call. */
const REFUSALS = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP"]);

/**
 * Whether to go past the page cache. Memory shared by all threads of a tier says so: the first refusal, in any of them,
 * is the last one.
 */
export class DirectIo {
  #flag;
  #word;

  /**
   * @param {{ O_DIRECT?: number }} constants without `O_DIRECT` where the system has none
   * @param {SharedArrayBuffer | null} shared absent = never
   */
  constructor({ O_DIRECT }, shared) {
    this.#flag = O_DIRECT ?? 0;
    this.#word = shared === null ? null : new Int32Array(shared);
  }

  /** To be added to the flags of an open; 0 when the call goes through the page cache. @param {Uint8Array} block */
  flagFor(block) {
    if (this.#word === null || Atomics.load(this.#word, 0) !== 0) return 0;
    const isAligned = block.byteOffset % PAGE_BYTES === 0 && block.byteLength % PAGE_BYTES === 0;
    return isAligned ? this.#flag : 0;
  }

  /** Whether a direct call that failed with `code` may well succeed through the page cache. @param {unknown} code */
  isRefusal(code) {
    return typeof code === "string" && REFUSALS.has(code);
  }

  /** What was refused has succeeded through the page cache: so it is not tried again. */
  giveUp() {
    if (this.#word !== null) Atomics.store(this.#word, 0, 1);
  }
}
