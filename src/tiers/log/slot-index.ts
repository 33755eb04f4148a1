/** Places of the table for each slot, at least: with two in three taken a search still ends after a few steps. */
const PLACES_PER_SLOT = 1.5;
const MIN_PLACES = 64;
/** An unused place. */
const EMPTY = 0;
const TWO_32 = 2 ** 32;

/**
 * From the hash of a key to the slots that have keys with that hash, by number. Eight bytes a place: the keys themselves
 * are in the tables of the segments, and whoever asks compares with them.
 *
 * Linear probing; a place that is given up is closed, so that a table in which much comes and goes stays as it is.
 */
export class SlotIndex {
  /** Slot number plus 1, or {@link EMPTY}. */
  #slots = new Uint32Array(MIN_PLACES);
  #hashes = new Uint32Array(MIN_PLACES);
  #size = 0;

  /** Slots that are in the index. */
  get size(): number {
    return this.#size;
  }

  /** Makes room for `count` slots in all. */
  reserve(count: number): void {
    const places = Math.ceil(count * PLACES_PER_SLOT);
    if (places > this.#slots.length) this.#resize(places);
  }

  /** The first slot under `hash` for which `isIt` holds; -1 when there is none. */
  find(hash: number, isIt: (slot: number) => boolean): number {
    const slots = this.#slots;
    const hashes = this.#hashes;
    for (let place = this.#home(hash); ; place = place + 1 === slots.length ? 0 : place + 1) {
      const slot = slots[place] ?? EMPTY;
      if (slot === EMPTY) return -1;
      if (hashes[place] === hash && isIt(slot - 1)) return slot - 1;
    }
  }

  /** Puts `slot`, which is not in the index, under `hash`. */
  add(hash: number, slot: number): void {
    if ((this.#size + 1) * PLACES_PER_SLOT > this.#slots.length) {
      this.#resize(Math.ceil(this.#slots.length * PLACES_PER_SLOT));
    }
    this.#enter(hash, slot + 1);
    this.#size++;
  }

  /** Takes `slot` out; `false` when it is not there under `hash`. */
  delete(hash: number, slot: number): boolean {
    const slots = this.#slots;
    for (let place = this.#home(hash); ; place = this.#after(place)) {
      const found = slots[place] ?? EMPTY;
      if (found === EMPTY) return false;
      if (found !== slot + 1) continue;
      this.#vacate(place);
      this.#size--;
      return true;
    }
  }

  #enter(hash: number, entry: number): void {
    let place = this.#home(hash);
    while (this.#slots[place] !== EMPTY) place = this.#after(place);
    this.#slots[place] = entry;
    this.#hashes[place] = hash;
  }

  /** Empties a place and closes the gap: every search goes on until an empty place, and must not end too early. */
  #vacate(place: number): void {
    let gap = place;
    for (let next = this.#after(gap); this.#slots[next] !== EMPTY; next = this.#after(next)) {
      const hash = this.#hashes[next] ?? 0;
      // It may come as far forward as its home, and no further.
      if (this.#steps(this.#home(hash), next) < this.#steps(gap, next)) continue;
      this.#slots[gap] = this.#slots[next] ?? EMPTY;
      this.#hashes[gap] = hash;
      gap = next;
    }
    this.#slots[gap] = EMPTY;
  }

  #resize(places: number): void {
    const slots = this.#slots;
    const hashes = this.#hashes;
    this.#slots = new Uint32Array(places);
    this.#hashes = new Uint32Array(places);
    for (let place = 0; place < slots.length; place++) {
      const entry = slots[place] ?? EMPTY;
      if (entry !== EMPTY) this.#enter(hashes[place] ?? 0, entry);
    }
  }

  #home(hash: number): number {
    return Math.floor((hash * this.#slots.length) / TWO_32);
  }

  #after(place: number): number {
    return place + 1 === this.#slots.length ? 0 : place + 1;
  }

  #steps(from: number, to: number): number {
    return to >= from ? to - from : to - from + this.#slots.length;
  }
}
