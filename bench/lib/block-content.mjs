import { SeededWords } from "./keys.mjs";

/** A block is marked at each of these steps, so that no page of another block can pass for its own. */
const PAGE = 4096;

/** The bytes of numbered blocks: alike but for their number, which stands in every page. */
export class BlockContent {
  #expected;

  /** @param {number} blockBytes */
  constructor(blockBytes) {
    const words = new SeededWords(4);
    this.#expected = Buffer.alloc(blockBytes);
    for (let i = 0; i + 4 <= blockBytes; i += 4) this.#expected.writeUInt32LE(words.next(), i);
  }

  /** @param {number} number @param {Uint8Array} block */
  fill(number, block) {
    block.set(this.#of(number));
  }

  /** @param {number} number @param {Uint8Array} block @throws when a byte is not that of the block with this number */
  check(number, block) {
    const expected = this.#of(number);
    if (!expected.equals(block)) throw new Error(`Wrong bytes in block ${number}.`);
  }

  /** @param {number} number */
  #of(number) {
    for (let at = 0; at + 4 <= this.#expected.length; at += PAGE) this.#expected.writeUInt32LE(number, at);
    return this.#expected;
  }
}
