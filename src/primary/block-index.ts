import type { OffloadKey } from "../contracts/offload-key.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { at } from "./at.js";
import { sampledKeyHash, wholeKeyHash } from "./key-hash.js";

/** An unused place of the table. */
const EMPTY = 0;

/** Places of the table for each node, at least: with two in three taken a search still ends after a few steps. */
const PLACES_PER_NODE = 1.5;

/** Steps of a search that digests do not come to, not even in a table of 2^31 places. */
const MAX_STEPS = 256;

/**
 * Which key is where. A key sits at one node and a node holds one key: nodes below `capacity` are the slots of the pool,
 * those from there on are an eviction policy's memory of evicted keys.
 *
 * A hash table over arrays, with linear probing. A `Map` would take four times the memory, hold at most 2^24 keys, and
 * stop the event loop for a second now and then, when it rehashes a million keys at once; this one never grows.
 */
export class BlockIndex {
  readonly capacity: number;
  readonly #keys: (OffloadKey | undefined)[];
  /** By node, the hash of its key. */
  readonly #hashes: Int32Array;
  /** Each place is {@link EMPTY} or a node plus 1 in the low bits; the others are those of its key's hash. */
  readonly #table: Int32Array;
  readonly #nodeMask: number;
  #hashOf = sampledKeyHash;

  /** For `nodes` nodes in all, `capacity` of them slots. */
  constructor(capacity: number, nodes: number) {
    this.capacity = capacity;
    this.#keys = new Array<OffloadKey | undefined>(capacity);
    this.#hashes = new Int32Array(nodes);
    this.#table = new Int32Array(powerOfTwoFrom(nodes * PLACES_PER_NODE));
    this.#nodeMask = powerOfTwoFrom(nodes + 1) - 1;
  }

  nodeOf(key: OffloadKey): number | undefined {
    const table = this.#table;
    const nodeMask = this.#nodeMask;
    const hash = this.#hashOf(key);
    for (let place = hash & (table.length - 1); ; place = (place + 1) & (table.length - 1)) {
      const entry = at(table, place);
      if (entry === EMPTY) return undefined;
      // Only keys whose hashes agree in these bits are compared: a key that is not here is rarely compared with any.
      if (((entry ^ hash) & ~nodeMask) !== 0) continue;
      const node = (entry & nodeMask) - 1;
      if (this.#keys[node] === key) return node;
    }
  }

  /** The slot of a key whose block is in the pool. */
  slotOf(key: OffloadKey): number | undefined {
    const node = this.nodeOf(key);
    return node !== undefined && node < this.capacity ? node : undefined;
  }

  keyAt(node: number): OffloadKey {
    return this.#keys[node] ?? noKey(node);
  }

  /** Puts `key`, which is nowhere, at an empty node. */
  put(key: OffloadKey, node: number): void {
    this.#keys[node] = key;
    this.#hashes[node] = this.#hashOf(key);
    const steps = this.#enter(node);
    if (steps > MAX_STEPS && this.#hashOf !== wholeKeyHash) this.#rehash();
  }

  /** Moves the key at `from` to the empty node `to`. */
  move(from: number, to: number): void {
    const hash = at(this.#hashes, from);
    this.#table[this.#placeOf(from)] = this.#entryFor(to, hash);
    this.#hashes[to] = hash;
    this.#keys[to] = this.keyAt(from);
    this.#keys[from] = undefined;
  }

  /** Forgets the key at `node`. */
  drop(node: number): void {
    this.#vacate(this.#placeOf(node));
    this.#keys[node] = undefined;
  }

  clear(): void {
    this.#table.fill(EMPTY);
    this.#keys.length = 0;
    this.#keys.length = this.capacity;
  }

  /** Enters `node` at the first empty place; returns how many others were passed on the way. */
  #enter(node: number): number {
    const mask = this.#table.length - 1;
    const hash = at(this.#hashes, node);
    let steps = 0;
    while (at(this.#table, (hash + steps) & mask) !== EMPTY) steps++;
    this.#table[(hash + steps) & mask] = this.#entryFor(node, hash);
    return steps;
  }

  /** Empties a place and closes the gap: every search goes on until an empty place, and must not end too early. */
  #vacate(place: number): void {
    const mask = this.#table.length - 1;
    let gap = place;
    for (let next = (gap + 1) & mask; ; next = (next + 1) & mask) {
      const entry = at(this.#table, next);
      if (entry === EMPTY) break;
      const home = at(this.#hashes, (entry & this.#nodeMask) - 1) & mask;
      // It may come as far forward as its home, and no further.
      if (((next - home) & mask) < ((next - gap) & mask)) continue;
      this.#table[gap] = entry;
      gap = next;
    }
    this.#table[gap] = EMPTY;
  }

  #placeOf(node: number): number {
    const mask = this.#table.length - 1;
    const hash = at(this.#hashes, node);
    const entry = this.#entryFor(node, hash);
    let place = hash & mask;
    for (; at(this.#table, place) !== entry; place = (place + 1) & mask) {
      if (at(this.#table, place) === EMPTY) noKey(node);
    }
    return place;
  }

  #entryFor(node: number, hash: number): number {
    return (hash & ~this.#nodeMask) | (node + 1);
  }

  /** These keys differ where they are not sampled, so from now on all their digits count. */
  #rehash(): void {
    this.#hashOf = wholeKeyHash;
    this.#table.fill(EMPTY);
    this.#keys.forEach((key, node) => {
      if (key === undefined) return;
      this.#hashes[node] = wholeKeyHash(key);
      this.#enter(node);
    });
  }
}

function powerOfTwoFrom(least: number): number {
  return 2 ** Math.ceil(Math.log2(least));
}

function noKey(node: number): never {
  throw new KvTierError("INVALID_STATE", `No key at node ${node} of the primary pool.`);
}
