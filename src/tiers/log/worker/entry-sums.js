import { xxh64 } from "@node-rs/xxhash";
import { ENTRY, ENTRY_WORDS, entryCheck, keyHash, META } from "./segment-format.js";

/**
 * Checksums of blocks, in their entries: xxHash64 of the bytes, seeded with the namespace, the key and the epoch, so that a
 * block that lies in another's slot, one of an earlier use of the slot, or another model's does not pass. The length is
 * part of xxHash itself.
 */
export class EntrySums {
  #namespace;
  /** Two words that are read as one number of 64 bits, and the other way round. */
  #halves = new Uint32Array(2);
  #whole = new BigUint64Array(this.#halves.buffer);

  /** @param {import("./segment-format.js").NamespaceId} namespace */
  constructor(namespace) {
    this.#namespace = namespace;
  }

  /**
   * Completes the entry in `slot`, of which the key is there already.
   *
   * @param {Uint32Array} table @param {number} slot
   * @param {Uint8Array | null} block `null`: without a checksum of the block
   * @param {number} epoch
   */
  seal(table, slot, block, epoch) {
    const start = slot * ENTRY_WORDS;
    if (block === null) this.#halves.fill(0);
    else this.#sum(table, start, block, epoch);
    const meta = (table[start + ENTRY.meta] ?? 0) & ~META.hasSum;
    table[start + ENTRY.meta] = block === null ? meta : meta | META.hasSum;
    table[start + ENTRY.epoch] = epoch;
    table[start + ENTRY.sum] = this.#halves[0] ?? 0;
    table[start + ENTRY.sum + 1] = this.#halves[1] ?? 0;
    table[start + ENTRY.reserved] = 0;
    table[start + ENTRY.check] = entryCheck(table, slot);
  }

  /**
   * Whether `block` is the one that was stored in `slot`. One that was stored without a checksum passes.
   *
   * @param {Uint32Array} table @param {number} slot @param {Uint8Array} block @param {number} epoch
   */
  isIntact(table, slot, block, epoch) {
    const start = slot * ENTRY_WORDS;
    if (((table[start + ENTRY.meta] ?? 0) & META.hasSum) === 0) return true;
    this.#sum(table, start, block, epoch);
    return table[start + ENTRY.sum] === this.#halves[0] && table[start + ENTRY.sum + 1] === this.#halves[1];
  }

  /** Leaves the sum in the two words. @param {Uint32Array} table @param {number} start @param {Uint8Array} block @param {number} epoch */
  #sum(table, start, block, epoch) {
    this.#halves[0] = keyHash(table, start) ^ this.#namespace[0];
    this.#halves[1] = epoch ^ this.#namespace[1];
    this.#whole[0] = xxh64(block, this.#whole[0]);
  }
}
