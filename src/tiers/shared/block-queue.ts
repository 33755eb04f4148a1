import type { JobBlock } from "./block-job.js";

/** Dead space at the front of the array that is worth moving the rest for. */
const COMPACT_FROM = 1024;

/** Blocks that wait for an in-flight slot, first in, first out. */
export class BlockQueue {
  #blocks: JobBlock[] = [];
  #head = 0;
  #waiting = 0;

  /** Blocks that wait. */
  get length(): number {
    return this.#waiting;
  }

  add(block: JobBlock): void {
    block.state = "waiting";
    this.#blocks.push(block);
    this.#waiting++;
  }

  /** `count` blocks in here are no longer in the state `waiting`: they are passed over. */
  forget(count: number): void {
    this.#waiting -= count;
    if (this.#waiting === 0) this.#reset();
  }

  /** Takes the oldest block, and those right behind it that belong to the same job, `limit` in all. */
  takeBatch(limit: number): JobBlock[] {
    const batch: JobBlock[] = [];
    if (this.#waiting === 0) return batch;
    for (; this.#head < this.#blocks.length && batch.length < limit; this.#head++) {
      const block = this.#blocks[this.#head];
      if (block?.state !== "waiting") continue;
      if (batch[0] !== undefined && batch[0].owner !== block.owner) break;
      batch.push(block);
    }
    this.#waiting -= batch.length;
    if (this.#waiting === 0) this.#reset();
    else if (this.#head > COMPACT_FROM && this.#head * 2 > this.#blocks.length) this.#compact();
    return batch;
  }

  #reset(): void {
    this.#blocks = [];
    this.#head = 0;
  }

  #compact(): void {
    this.#blocks = this.#blocks.slice(this.#head);
    this.#head = 0;
  }
}
