import { at } from "./at.js";
import { NONE, type NodeLinks } from "./node-list.js";

/** Hands out the nodes from `first` on: released ones, else a fresh one. A released node is in no list: its link is free. */
export class GhostNodes {
  readonly #first: number;
  readonly #next: Int32Array;
  #released = NONE;
  #fresh: number;

  constructor(first: number, links: NodeLinks) {
    this.#first = first;
    this.#fresh = first;
    this.#next = links.newer;
  }

  /** A released node first, so that the nodes in use stay few. The caller knows that there is one left. */
  take(): number {
    if (this.#released === NONE) return this.#fresh++;
    const node = this.#released;
    this.#released = at(this.#next, node);
    return node;
  }

  release(node: number): void {
    this.#next[node] = this.#released;
    this.#released = node;
  }

  reset(): void {
    this.#fresh = this.#first;
    this.#released = NONE;
  }
}
