import { setImmediate as nextTurn } from "node:timers/promises";
import type { KvCache } from "kvtier";
import { KnownBlocks, seeded } from "../support/known-blocks.js";
import { Latencies } from "./latencies.js";

/** Requests at a time, and blocks in each. */
const [LANES, REQUEST_BLOCKS] = [8, 4];
export const POOL_BLOCKS = 2 * LANES * REQUEST_BLOCKS;

export interface SoakLoadOptions {
  readonly cache: KvCache;
  readonly blockBytes: number;
  /** Blocks that there are: several times as many as the tier has room for. */
  readonly blocks: number;
  readonly seed: number;
}

/**
 * Requests without a pause, several at a time: each acquires a few blocks, compares every byte of those that are there, and
 * stores the others. Some blocks are wanted far more often than others.
 */
export class SoakLoad {
  readonly acquires = new Latencies();
  readonly puts = new Latencies();
  readonly #options: SoakLoadOptions;
  readonly #known: KnownBlocks;
  readonly #random: () => number;
  #wrongBlocks = 0;
  #loaded = 0;
  #stored = 0;
  #isOver = false;

  constructor(options: SoakLoadOptions) {
    this.#options = options;
    this.#known = new KnownBlocks(options.blockBytes, options.blocks);
    this.#random = seeded(options.seed);
  }

  get wrongBlocks(): number {
    return this.#wrongBlocks;
  }

  /** Blocks that were acquired, and stored, since the start. */
  get moved(): { readonly loaded: number; readonly stored: number } {
    return { loaded: this.#loaded, stored: this.#stored };
  }

  /** Resolves when the last request after a {@link stop} has ended. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: LANES }, () => this.#runLane()));
  }

  stop(): void {
    this.#isOver = true;
  }

  async #runLane(): Promise<void> {
    while (!this.#isOver) {
      const from = Math.floor(this.#random() ** 2 * (this.#options.blocks - REQUEST_BLOCKS));
      await this.#request(Array.from({ length: REQUEST_BLOCKS }, (_, i) => from + i));
      // What is answered from memory leaves threads and timers no time otherwise.
      await nextTurn();
    }
  }

  async #request(ns: readonly number[]): Promise<void> {
    const { cache } = this.#options;
    const keys = ns.map((n) => this.#known.keyOf(n));
    const startedAt = performance.now();
    const lease = await cache.acquire(keys);
    this.acquires.record(performance.now() - startedAt);
    lease.blocks.forEach((block, i) => {
      if (!this.#known.isOwn(ns[i] ?? -1, block)) this.#wrongBlocks++;
    });
    const { hits } = lease;
    lease.release();
    this.#loaded += hits;
    if (hits === ns.length) return;
    const blocks = ns.slice(hits).map((n) => this.#known.bytesOf(n));
    const putAt = performance.now();
    await cache.put(keys.slice(hits), blocks);
    this.puts.record(performance.now() - putAt);
    this.#stored += blocks.length;
  }
}
