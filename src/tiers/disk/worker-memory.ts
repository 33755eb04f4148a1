import type { KvBlockView } from "../../contracts/kv-block-view.js";

/** Places for the blocks of one batch in memory that threads share, and the ways in and out of them. */
export interface PlacedBatch {
  /** Of each block, the index in `WorkerMemory.buffers`. */
  readonly buffers: readonly number[];
  /** Of each block, the byte offset in its buffer. */
  readonly offsets: readonly number[];
  /** Makes every place hold what its block holds. */
  copyIn(): void;
  /** Makes block `i` hold what its place holds. */
  copyOut(i: number): void;
  /** Gives the places back. No thread may touch them any more. */
  release(): void;
}

/** Memory that worker threads reach, for the blocks of a pool that they may not reach. */
export interface WorkerMemory {
  readonly buffers: readonly SharedArrayBuffer[];
  place(blocks: readonly Uint8Array[]): PlacedBatch;
}

/** The pool's own memory, when it is shared: no copy. */
export class PoolMemory implements WorkerMemory {
  readonly buffers: readonly SharedArrayBuffer[];

  constructor(view: KvBlockView) {
    this.buffers = view.slabs.map(({ buffer }) => buffer as SharedArrayBuffer);
  }

  place(blocks: readonly Uint8Array[]): PlacedBatch {
    return {
      buffers: blocks.map((block) => this.#indexOf(block)),
      offsets: blocks.map((block) => block.byteOffset),
      copyIn: nothing,
      copyOut: nothing,
      release: nothing,
    };
  }

  #indexOf(block: Uint8Array): number {
    const index = this.buffers.findIndex((buffer) => buffer === block.buffer);
    if (index < 0) throw new RangeError("The block does not lie in the primary pool.");
    return index;
  }
}

/** One shared buffer with room for a few batches, for a pool in plain memory: a copy on each way. */
export class StagingMemory implements WorkerMemory {
  readonly buffers: readonly SharedArrayBuffer[];
  readonly #bytes: Uint8Array;
  readonly #blockBytes: number;
  readonly #areaBytes: number;
  /** Areas that no batch holds, by number. */
  readonly #free: number[];

  /** @param batches how many batches, of `batchBlocks` blocks at most, may be placed at a time */
  constructor(blockBytes: number, batchBlocks: number, batches: number) {
    this.#blockBytes = blockBytes;
    this.#areaBytes = blockBytes * batchBlocks;
    this.#free = Array.from({ length: batches }, (_, i) => i);
    const buffer = new SharedArrayBuffer(this.#areaBytes * batches);
    this.buffers = [buffer];
    this.#bytes = new Uint8Array(buffer);
  }

  place(blocks: readonly Uint8Array[]): PlacedBatch {
    if (blocks.length * this.#blockBytes > this.#areaBytes) throw new RangeError("The batch is larger than its limit.");
    const area = this.#free.pop();
    if (area === undefined) throw new RangeError("More batches are in flight than the limits allow.");
    const offsetOf = (i: number): number => area * this.#areaBytes + i * this.#blockBytes;
    return {
      buffers: blocks.map(() => 0),
      offsets: blocks.map((_, i) => offsetOf(i)),
      copyIn: () => blocks.forEach((block, i) => this.#bytes.set(block, offsetOf(i))),
      copyOut: (i) => blocks[i]?.set(this.#bytes.subarray(offsetOf(i), offsetOf(i) + this.#blockBytes)),
      release: () => void this.#free.push(area),
    };
  }
}

const nothing = (): void => {};
