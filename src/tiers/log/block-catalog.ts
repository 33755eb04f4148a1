import { setImmediate as nextTurn } from "node:timers/promises";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { BlockPlaces } from "./block-places.js";
import { KeyWords, keyAt } from "./key-words.js";
import type { Segment } from "./segment.js";
import { SlotIndex } from "./slot-index.js";
import { ENTRY, ENTRY_WORDS, KEY_META, keyHash } from "./worker/segment-format.js";

/** Entries that are looked at before other work gets its turn: some 100 microseconds. */
const SLICE = 512;

/** Which block is in which slot: an index over the tables of the segments. */
export class BlockCatalog {
  readonly #index = new SlotIndex();
  readonly #key = new KeyWords();
  readonly #segmentOf: (slot: number) => Segment | undefined;
  readonly #isKeyAt: (slot: number) => boolean;

  /** @param segmentOf the segment of a slot, by the slot's number among those of all segments */
  constructor(segmentOf: (slot: number) => Segment | undefined) {
    this.#segmentOf = segmentOf;
    // Made once: it is called for every look-up.
    this.#isKeyAt = (slot) => {
      const segment = segmentOf(slot);
      return segment !== undefined && this.#key.isAt(segment.words, (slot - segment.base) * ENTRY_WORDS);
    };
  }

  /** Blocks that are known. */
  get size(): number {
    return this.#index.size;
  }

  /** Makes room for `count` blocks in all. */
  reserve(count: number): void {
    this.#index.reserve(count);
  }

  has(key: OffloadKey): boolean {
    const slot = this.#find(key);
    return slot !== -1 && this.#segmentOf(slot)?.isRetired === false;
  }

  /** Notes where the block is, in `places`; `false` when it is not known, or about to be forgotten. */
  locate(key: OffloadKey, places: BlockPlaces): boolean {
    const slot = this.#find(key);
    const segment = slot === -1 ? undefined : this.#segmentOf(slot);
    if (segment === undefined || segment.isRetired) return false;
    places.add(segment, slot - segment.base);
    return true;
  }

  /**
   * Writes `key` into a slot's entry, unless its block is known already. It is not found there before {@link add}.
   *
   * @throws RangeError when it is no key.
   */
  enter(key: OffloadKey, segment: Segment, slot: number): boolean {
    if (!this.#key.read(key)) throw new RangeError("The key is malformed.");
    const known = this.#index.find(this.#key.hash, this.#isKeyAt);
    if (known !== -1 && this.#segmentOf(known)?.isRetired === false) return false;
    this.#key.copyTo(segment.words, slot * ENTRY_WORDS);
    return true;
  }

  /** The block whose key is in the slot's entry is there from now on, and nowhere else. */
  add(segment: Segment, slot: number): void {
    const start = slot * ENTRY_WORDS;
    const hash = keyHash(segment.words, start);
    const before = this.#index.find(hash, (other) => this.#isSameKey(segment.words, start, other));
    if (before !== -1) this.#drop(hash, before);
    this.#index.add(hash, segment.base + slot);
    segment.live++;
  }

  /** The slot's block is not to be found any more; `false` when it was not. */
  drop(segment: Segment, slot: number): boolean {
    const start = slot * ENTRY_WORDS;
    if (segment.words[start + ENTRY.meta] === 0) return false;
    return this.#drop(keyHash(segment.words, start), segment.base + slot);
  }

  /** Adds what the segment's table holds. Gives way to other work now and then. */
  async addAll(segment: Segment): Promise<void> {
    for (let slot = 0; slot < segment.slots; slot++) {
      if (slot % SLICE === SLICE - 1) await nextTurn();
      if (segment.words[slot * ENTRY_WORDS + ENTRY.meta] === 0) continue;
      this.add(segment, slot);
      segment.next = slot + 1;
    }
  }

  /**
   * Drops all of the segment's blocks. Gives way to other work now and then.
   *
   * @param onDropped told of each block that was known, as far as its key is
   */
  async dropAll(segment: Segment, onDropped: ((key: OffloadKey) => void) | null): Promise<void> {
    for (let slot = 0; slot < segment.next; slot++) {
      if (slot % SLICE === SLICE - 1) await nextTurn();
      const key = onDropped === null ? null : keyAt(segment.words, slot * ENTRY_WORDS);
      if (this.drop(segment, slot) && key !== null) onDropped?.(key);
    }
  }

  #find(key: OffloadKey): number {
    return this.#key.read(key) ? this.#index.find(this.#key.hash, this.#isKeyAt) : -1;
  }

  #drop(hash: number, slot: number): boolean {
    if (!this.#index.delete(hash, slot)) return false;
    const segment = this.#segmentOf(slot);
    if (segment !== undefined) segment.live--;
    return true;
  }

  #isSameKey(words: Uint32Array, start: number, slot: number): boolean {
    const segment = this.#segmentOf(slot);
    if (segment === undefined) return false;
    const other = (slot - segment.base) * ENTRY_WORDS;
    return haveSameKey(words, start, segment.words, other);
  }
}

function haveSameKey(a: Uint32Array, atA: number, b: Uint32Array, atB: number): boolean {
  if ((((a[atA + ENTRY.meta] ?? 0) ^ (b[atB + ENTRY.meta] ?? 0)) & KEY_META) !== 0) return false;
  for (let i = 0; i < ENTRY.meta; i++) if (a[atA + i] !== b[atB + i]) return false;
  return true;
}
