import { makeOffloadKey } from "kvtier";

/** @import { OffloadKey } from "kvtier" */

/** Random 32-bit words, the same in every run (Marsaglia's xorshift). */
export class SeededWords {
  #state;

  /** @param {number} seed not 0 */
  constructor(seed) {
    this.#state = seed | 0;
  }

  next() {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return x >>> 0;
  }

  /** A whole number from 0 to `limit`, which is left out. @param {number} limit */
  below(limit) {
    return Math.floor((this.next() / 2 ** 32) * limit);
  }
}

const HASH_WORDS = 8;

/**
 * Keys as of SHA-256 block hashes. The engine computes a string's hash when a map first sees it: it is done here, so that
 * no contestant pays it for the other.
 *
 * @param {number} count
 * @param {number} [seed] other keys for another seed
 * @returns {OffloadKey[]}
 */
export function makeKeys(count, seed = 1) {
  const words = new SeededWords(seed);
  const hash = new Uint32Array(HASH_WORDS);
  const bytes = new Uint8Array(hash.buffer);
  const probe = new Map([["", 0]]);
  /** @type {OffloadKey[]} */
  const keys = [];
  for (let i = 0; i < count; i++) {
    for (let word = 0; word < HASH_WORDS; word++) hash[word] = words.next();
    const key = makeOffloadKey(bytes);
    probe.get(key);
    keys.push(key);
  }
  return keys;
}

/** The same values in another order, the same in every run. @template T @param {readonly T[]} values @returns {T[]} */
export function shuffled(values) {
  const words = new SeededWords(2);
  const result = [...values];
  for (let i = result.length - 1; i > 0; i--) {
    const j = words.below(i + 1);
    const [a, b] = [result[i], result[j]];
    if (a !== undefined && b !== undefined) [result[i], result[j]] = [b, a];
  }
  return result;
}

/** @template T @param {readonly T[]} values @param {number} length @returns {T[][]} */
export function batchesOf(values, length) {
  const batches = [];
  for (let from = 0; from < values.length; from += length) batches.push(values.slice(from, from + length));
  return batches;
}
