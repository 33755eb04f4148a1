import { Buffer } from "node:buffer";
import { makeOffloadKey } from "kvtier";

/** Bytes by which the contents of neighbours are shifted. */
const SHIFT = 8;

/**
 * Blocks whose bytes follow from their number, the same in every process, at no cost: views of one long run of noise, each
 * from a place of its own. No two have the same bytes, nor has any mixture of two.
 */
export class KnownBlocks {
  #blockBytes;
  #noise;

  /**
   * @param {number} blockBytes
   * @param {number} count the blocks are numbered from 0 to `count - 1`
   */
  constructor(blockBytes, count) {
    this.#blockBytes = blockBytes;
    const random = seeded(1);
    const words = Uint32Array.from({ length: Math.ceil((blockBytes + SHIFT * count) / 4) }, () => random() * 2 ** 32);
    this.#noise = new Uint8Array(words.buffer);
  }

  /** @param {number} n @returns {import("kvtier").OffloadKey} */
  keyOf(n) {
    // Neighbours lie far from each other, wherever a tier goes by the first digits.
    return makeOffloadKey((n & 255).toString(16).padStart(2, "0") + n.toString(16).padStart(62, "0"));
  }

  /** Not to be written to. @param {number} n @returns {Uint8Array} */
  bytesOf(n) {
    return this.#noise.subarray(SHIFT * n, SHIFT * n + this.#blockBytes);
  }

  /** Whether every byte of `block` is that of block `n`. @param {number} n @param {Uint8Array} block */
  isOwn(n, block) {
    return Buffer.compare(block, this.bytesOf(n)) === 0;
  }
}

/**
 * Numbers in [0, 1), the same for the same seed. Plain JavaScript, as this file is, for processes that must start fast.
 *
 * @param {number} seed
 * @returns {() => number}
 */
export function seeded(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
