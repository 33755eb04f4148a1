import { performance } from "node:perf_hooks";
import { createTiering } from "kvtier";

/** @import { Tiering } from "kvtier" */
/** @import { BlockRequest, Workload } from "./workload.mjs" */

/** A whole cache as `createTiering` makes it, with one tier, and runs of a workload through it. */
export class Stack {
  #tiering;
  #workload;

  /** @param {Tiering} tiering @param {Workload} workload */
  constructor(tiering, workload) {
    this.#tiering = tiering;
    this.#workload = workload;
  }

  /**
   * @param {Workload} workload @param {object} tier its config
   * @param {number} [poolBlocks] default: all of a run
   */
  static async open(workload, tier, poolBlocks = workload.blocks) {
    /** @type {unknown} */
    const config = {
      cpu_bytes_to_use: poolBlocks * workload.blockBytes,
      block_bytes: workload.blockBytes,
      model: { name: "bench", dtype: "float16", tokens_per_block: 16 },
      secondary_tiers: [tier],
    };
    return new Stack(await createTiering(config), workload);
  }

  /**
   * Stores the blocks in the pool and, from there, in the tier.
   *
   * @param {readonly BlockRequest[]} requests
   * @returns {Promise<{ overriddenDuration: number }>} milliseconds, without the filling of the blocks
   */
  async store(requests) {
    const { cache } = this.#tiering;
    const writtenBefore = this.bytesWritten;
    const reserving = performance.now();
    const tickets = requests.map(({ keys }) => cache.reserve(keys));
    const reserved = performance.now() - reserving;
    for (const [i, ticket] of tickets.entries()) {
      const numbers = requests[i]?.numbers ?? [];
      if (ticket?.keys.length !== numbers.length) throw new Error("The pool had no room.");
      for (const [j, block] of ticket.blocks.entries()) this.#workload.content.fill(numbers[j] ?? 0, block);
    }
    const committing = performance.now();
    for (const ticket of tickets) ticket?.commit();
    await cache.flush();
    const committed = performance.now() - committing;
    const bytes = this.bytesWritten - writtenBefore;
    if (bytes !== this.#workload.bytes) throw new Error(`${bytes} bytes were stored, not ${this.#workload.bytes}.`);
    return { overriddenDuration: reserved + committed };
  }

  /**
   * Loads the blocks from the tier into the pool, and checks every byte of them.
   *
   * @param {readonly BlockRequest[]} requests
   * @returns {Promise<{ overriddenDuration: number }>} milliseconds, from the look-up to the pinned blocks
   */
  async load(requests) {
    const { cache } = this.#tiering;
    const start = performance.now();
    const leases = await Promise.all(requests.map(({ keys }) => cache.acquire(keys)));
    const overriddenDuration = performance.now() - start;
    for (const [i, lease] of leases.entries()) {
      const numbers = requests[i]?.numbers ?? [];
      if (lease.hits !== numbers.length) throw new Error(`${lease.hits} of ${numbers.length} blocks were found.`);
      if (lease.sources.some((source) => source === "0:primary")) throw new Error("A block came from the pool.");
      for (const [j, block] of lease.blocks.entries()) this.#workload.content.check(numbers[j] ?? 0, block);
      lease.release();
    }
    return { overriddenDuration };
  }

  /** Empties the pool. */
  async forget() {
    await this.#tiering.manager.resetCache();
  }

  /** Empties the pool and the tier. */
  async clear() {
    const { tiers } = await this.#tiering.manager.resetCache({ tiers: true });
    if (tiers.some(({ cleared }) => !cleared)) throw new Error("The tier was not cleared.");
  }

  get bytesWritten() {
    return this.#tiering.cache.stats().tiers[0]?.bytesWritten ?? 0;
  }

  get cache() {
    return this.#tiering.cache;
  }

  get manager() {
    return this.#tiering.manager;
  }

  close() {
    return this.#tiering.close();
  }
}
