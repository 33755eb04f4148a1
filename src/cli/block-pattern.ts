import { createHash } from "node:crypto";
import type { OffloadKey } from "../contracts/offload-key.js";

/**
 * The bytes that the block of a key must have, made anew each time from the key alone: a check compares with these and
 * never with anything that was stored. They are a stream of random-looking words (Marsaglia's xorshift128) that a hash
 * of the key seeds, so two blocks, or two places of one, are never alike, and a swap or a shift shows at once.
 */
export class BlockPattern {
  readonly #words: Uint32Array;
  /** The words as bytes, cut to one block. */
  readonly #bytes: Uint8Array;

  /** @param blockBytes bytes of one block, any positive integer */
  constructor(blockBytes: number) {
    // Made in memory of its own, since a block need not be aligned to words.
    this.#words = new Uint32Array(Math.ceil(blockBytes / Uint32Array.BYTES_PER_ELEMENT));
    this.#bytes = new Uint8Array(this.#words.buffer, 0, blockBytes);
  }

  fill(key: OffloadKey, block: Uint8Array): void {
    this.#generate(key);
    block.set(this.#bytes);
  }

  /** Offset of the first byte of `block` that is not as it must be; -1 when all are. */
  firstWrongByte(key: OffloadKey, block: Uint8Array): number {
    this.#generate(key);
    if (Buffer.from(block.buffer, block.byteOffset, block.byteLength).equals(this.#bytes)) return -1;
    const wrong = this.#bytes.findIndex((byte, i) => byte !== block[i]);
    return wrong === -1 ? this.#bytes.length : wrong;
  }

  #generate(key: OffloadKey): void {
    const seed = createHash("sha256").update(key).digest();
    // A state of zeros would stay one.
    let x = seed.readInt32LE(0) | 1;
    let y = seed.readInt32LE(4);
    let z = seed.readInt32LE(8);
    let w = seed.readInt32LE(12);
    const words = this.#words;
    for (let i = 0; i < words.length; i++) {
      const t = x ^ (x << 11);
      x = y;
      y = z;
      z = w;
      w = w ^ (w >>> 19) ^ t ^ (t >>> 8);
      words[i] = w;
    }
  }
}
