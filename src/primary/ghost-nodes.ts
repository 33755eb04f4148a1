import { at } from "./at.js";

/** Hands out the numbers from `first` up to `end`: fresh ones in order, then released ones. */
export class GhostNodes {
  readonly #first: number;
  readonly #released: Int32Array;
  #releasedCount = 0;
  #fresh: number;

  constructor(first: number, end: number) {
    this.#first = first;
    this.#fresh = first;
    this.#released = new Int32Array(end - first);
  }

  /** A released number first, so that the numbers in use stay few. There must be one left. */
  take(): number {
    if (this.#releasedCount === 0) return this.#fresh++;
    this.#releasedCount -= 1;
    return at(this.#released, this.#releasedCount);
  }

  release(node: number): void {
    this.#released[this.#releasedCount++] = node;
  }

  reset(): void {
    this.#fresh = this.#first;
    this.#releasedCount = 0;
  }
}
