import type { OffloadKey } from "../contracts/offload-key.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { KeyMap } from "./key-map.js";

/**
 * Which key is where. A key sits at one node and a node holds one key: nodes below `capacity` are the slots of the pool,
 * those from there on are an eviction policy's memory of evicted keys.
 */
export class BlockIndex {
  readonly capacity: number;
  readonly #nodes: KeyMap;
  readonly #keys: (OffloadKey | undefined)[];

  /** For `nodes` nodes in all, `capacity` of them slots. */
  constructor(capacity: number, nodes: number) {
    this.capacity = capacity;
    this.#nodes = new KeyMap(nodes);
    this.#keys = new Array<OffloadKey | undefined>(capacity);
  }

  nodeOf(key: OffloadKey): number | undefined {
    return this.#nodes.get(key);
  }

  /** The slot of a key whose block is in the pool. */
  slotOf(key: OffloadKey): number | undefined {
    const node = this.#nodes.get(key);
    return node !== undefined && node < this.capacity ? node : undefined;
  }

  keyAt(node: number): OffloadKey {
    return this.#keys[node] ?? noKey(node);
  }

  /** Puts `key` at an empty node, away from where it was. */
  put(key: OffloadKey, node: number): void {
    this.#nodes.set(key, node);
    this.#keys[node] = key;
  }

  /** Moves the key at `from` to the empty node `to`. */
  move(from: number, to: number): void {
    this.put(this.keyAt(from), to);
    this.#keys[from] = undefined;
  }

  /** Forgets the key at `node`. */
  drop(node: number): void {
    this.#nodes.delete(this.keyAt(node));
    this.#keys[node] = undefined;
  }

  clear(): void {
    this.#nodes.clear();
    this.#keys.length = 0;
    this.#keys.length = this.capacity;
  }
}

function noKey(node: number): never {
  throw new KvTierError("INVALID_STATE", `No key at node ${node} of the primary pool.`);
}
