import { createHash } from "node:crypto";
import { offloadKeyHash, type OffloadKey } from "../../contracts/offload-key.js";
import { ENTRY, KEY_META, keyHash, MAX_KEY_BYTES, META } from "./worker/segment-format.js";

const GROUP_DIGITS = 8;
/** A byte of hash and a group. */
const MIN_DIGITS = 10;

/** One key at a time, in the form that entries have it: read once, then looked for, compared and copied. */
export class KeyWords {
  readonly #words = new Uint32Array(ENTRY.meta + 1);
  readonly #bytes = Buffer.from(this.#words.buffer);
  #hash = 0;

  /** Hash of the key that was read last: 32 bits, unsigned. */
  get hash(): number {
    return this.#hash;
  }

  /** Reads `key`; `false` when it is none that `makeOffloadKey` made. */
  read(key: OffloadKey): boolean {
    if (typeof key !== "string" || key.length < MIN_DIGITS || key.length % 2 !== 0) return false;
    const isRead = key.length <= 2 * MAX_KEY_BYTES ? this.#set(key, 0) : this.#setDigest(key);
    if (isRead) this.#hash = keyHash(this.#words, 0);
    return isRead;
  }

  /** Whether the entry at word `start` is of the key that was read last. */
  isAt(table: Uint32Array, start: number): boolean {
    const words = this.#words;
    if (((table[start + ENTRY.meta] ?? 0) & KEY_META) !== words[ENTRY.meta]) return false;
    for (let i = 0; i < ENTRY.meta; i++) if (table[start + i] !== words[i]) return false;
    return true;
  }

  /** Makes the entry at word `start` one of the key that was read last. */
  copyTo(table: Uint32Array, start: number): void {
    table.set(this.#words, start);
  }

  #set(digits: string, flags: number): boolean {
    this.#words.fill(0);
    // Stops at the first character that is no digit.
    const bytes = this.#bytes.write(digits, "hex");
    this.#words[ENTRY.meta] = bytes | flags;
    return 2 * bytes === digits.length;
  }

  /** A hash too long for an entry is replaced by its SHA-256. */
  #setDigest(key: OffloadKey): boolean {
    const digest = createHash("sha256").update(offloadKeyHash(key)).digest("hex");
    return this.#set(digest + key.slice(-GROUP_DIGITS), META.isDigest);
  }
}

/** The key of the entry at word `start`; `null` when the entry is blank, or has only a digest of its key. */
export function keyAt(table: Uint32Array, start: number): OffloadKey | null {
  const meta = table[start + ENTRY.meta] ?? 0;
  const bytes = meta & META.keyBytes;
  if (bytes === 0 || (meta & META.isDigest) !== 0) return null;
  // A copy: text is not made from shared memory.
  const words = table.slice(start, start + ENTRY.meta);
  return Buffer.from(words.buffer, 0, bytes).toString("hex") as OffloadKey;
}
