import { at } from "./at.js";

/** No node: the end of a list. */
export const NONE = -1;

/** Links of all nodes; each node is in at most one of the lists over them. */
export interface NodeLinks {
  readonly older: Int32Array;
  readonly newer: Int32Array;
}

export const createNodeLinks = (nodes: number): NodeLinks => ({
  older: new Int32Array(nodes),
  newer: new Int32Array(nodes),
});

/** A list of nodes from the least to the most recently used. Linked through arrays: a million nodes are no objects. */
export class NodeList {
  readonly #older: Int32Array;
  readonly #newer: Int32Array;
  #oldest = NONE;
  #newest = NONE;
  #size = 0;

  constructor({ older, newer }: NodeLinks) {
    this.#older = older;
    this.#newer = newer;
  }

  get size(): number {
    return this.#size;
  }

  /** {@link NONE} when empty. */
  get oldest(): number {
    return this.#oldest;
  }

  /** The next more recently used node, or {@link NONE}. */
  newerThan(node: number): number {
    return at(this.#newer, node);
  }

  /** Adds a node that is in no list, as the most recently used. */
  add(node: number): void {
    this.#older[node] = this.#newest;
    this.#newer[node] = NONE;
    if (this.#newest === NONE) this.#oldest = node;
    else this.#newer[this.#newest] = node;
    this.#newest = node;
    this.#size += 1;
  }

  /** Takes out a node that is in this list. */
  remove(node: number): void {
    const older = at(this.#older, node);
    const newer = at(this.#newer, node);
    if (older === NONE) this.#oldest = newer;
    else this.#newer[older] = newer;
    if (newer === NONE) this.#newest = older;
    else this.#older[newer] = older;
    this.#size -= 1;
  }

  /** Makes a node of this list the most recently used. */
  renew(node: number): void {
    if (node === this.#newest) return;
    this.remove(node);
    this.add(node);
  }

  clear(): void {
    this.#oldest = NONE;
    this.#newest = NONE;
    this.#size = 0;
  }
}
