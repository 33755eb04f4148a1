import { setImmediate as nextTurn } from "node:timers/promises";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { BlockPlaces } from "./block-places.js";
import { KeyWords, keyAt } from "./key-words.js";
import type { Segment } from "./segment.js";
import { SlotIndex } from "./slot-index.js";
import { ENTRY, ENTRY_WORDS, KEY_META, keyHash, META } from "./worker/segment-format.js";

/** Entries that are looked at before other work gets its turn: some 100 microseconds. */
const SLICE = 512;

/** Which block is in which slot: an index over the tables of the segments. */
export class BlockCatalog {
  readonly #index = new SlotIndex();
  readonly #key = new KeyWords();
  readonly #segmentOf: (slot: number) => Segment | undefined;
  readonly #isKeyAt: (slot: number) => boolean;
  /**
   * By slot, how many have suspended it. Nothing is loaded from it meanwhile; a block that is stored again is found where it
   * is new.
   */
  readonly #suspended = new Map<number, number>();
  /** By slot, the keys that entries have only a digest of; `null`: nobody wants to know. */
  readonly #longKeys: Map<number, OffloadKey> | null;

  /**
   * @param segmentOf the segment of a slot, by the slot's number among those of all segments
   * @param remembersKeys whether {@link dropAll} is to tell of blocks whose keys are longer than an entry has room for
   */
  constructor(segmentOf: (slot: number) => Segment | undefined, remembersKeys: boolean) {
    this.#segmentOf = segmentOf;
    this.#longKeys = remembersKeys ? new Map() : null;
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
    return this.#isServed(this.#find(key));
  }

  /** Notes where the block is, in `places`; `false` when it is not known, about to be forgotten, or suspended. */
  locate(key: OffloadKey, places: BlockPlaces): boolean {
    const slot = this.#find(key);
    return this.#isServed(slot) && this.#note(slot, places);
  }

  /** As {@link locate}, but a suspended block is found too. */
  locateAny(key: OffloadKey, places: BlockPlaces): boolean {
    return this.#note(this.#find(key), places);
  }

  /** None of these blocks is found until the returned function is called: once, and before their slots are used again. */
  suspend({ segments, slots }: BlockPlaces): () => void {
    const suspended = segments.map((segment, i) => segment.base + (slots[i] ?? 0));
    for (const slot of suspended) this.#suspended.set(slot, (this.#suspended.get(slot) ?? 0) + 1);
    return () => {
      for (const slot of suspended) {
        const left = (this.#suspended.get(slot) ?? 0) - 1;
        if (left > 0) this.#suspended.set(slot, left);
        else this.#suspended.delete(slot);
      }
    };
  }

  /**
   * Writes `key` into a slot's entry, unless its block is found already. It is not found there before {@link add}.
   *
   * @throws RangeError when it is no key.
   */
  enter(key: OffloadKey, segment: Segment, slot: number): boolean {
    if (!this.#key.read(key)) throw new RangeError("The key is malformed.");
    if (this.#isServed(this.#index.find(this.#key.hash, this.#isKeyAt))) return false;
    this.#key.copyTo(segment.words, slot * ENTRY_WORDS);
    return true;
  }

  /**
   * The block whose key is in the slot's entry is there from now on, and nowhere else.
   *
   * @param key absent: it is known by its entry alone
   */
  add(segment: Segment, slot: number, key?: OffloadKey): void {
    const start = slot * ENTRY_WORDS;
    const hash = keyHash(segment.words, start);
    const before = this.#index.find(hash, (other) => this.#isSameKey(segment.words, start, other));
    if (before !== -1) this.#drop(hash, before);
    this.#index.add(hash, segment.base + slot);
    segment.live++;
    if (key !== undefined && isDigest(segment.words, start)) this.#longKeys?.set(segment.base + slot, key);
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
   * @param onDropped told of each block that was known, as far as its key is: of a block of an earlier owner whose key is
   *   longer than an entry has room for it is not
   */
  async dropAll(segment: Segment, onDropped: ((key: OffloadKey) => void) | null): Promise<void> {
    for (let slot = 0; slot < segment.next; slot++) {
      if (slot % SLICE === SLICE - 1) await nextTurn();
      const key = onDropped === null ? null : this.#keyOf(segment, slot);
      if (this.drop(segment, slot) && key !== null) onDropped?.(key);
    }
  }

  #find(key: OffloadKey): number {
    return this.#key.read(key) ? this.#index.find(this.#key.hash, this.#isKeyAt) : -1;
  }

  #isServed(slot: number): boolean {
    return slot !== -1 && !this.#suspended.has(slot) && this.#segmentOf(slot)?.isRetired === false;
  }

  #note(slot: number, places: BlockPlaces): boolean {
    const segment = slot === -1 ? undefined : this.#segmentOf(slot);
    if (segment === undefined || segment.isRetired) return false;
    places.add(segment, slot - segment.base);
    return true;
  }

  #keyOf(segment: Segment, slot: number): OffloadKey | null {
    return keyAt(segment.words, slot * ENTRY_WORDS) ?? this.#longKeys?.get(segment.base + slot) ?? null;
  }

  #drop(hash: number, slot: number): boolean {
    if (!this.#index.delete(hash, slot)) return false;
    this.#longKeys?.delete(slot);
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

function isDigest(words: Uint32Array, start: number): boolean {
  return ((words[start + ENTRY.meta] ?? 0) & META.isDigest) !== 0;
}

function haveSameKey(a: Uint32Array, atA: number, b: Uint32Array, atB: number): boolean {
  if ((((a[atA + ENTRY.meta] ?? 0) ^ (b[atB + ENTRY.meta] ?? 0)) & KEY_META) !== 0) return false;
  for (let i = 0; i < ENTRY.meta; i++) if (a[atA + i] !== b[atB + i]) return false;
  return true;
}
