import { createHash } from "node:crypto";
import type { Clock } from "../../contracts/clock.js";
import { makeOffloadKey, type OffloadKey } from "../../contracts/offload-key.js";
import { BlockPattern } from "../block-pattern.js";
import { within } from "../../contracts/within.js";
import type { BenchRig } from "./bench-rig.js";
import type { StoreSample } from "./store-probe.js";

/** Requests that are under way at once. */
export const IN_FLIGHT = 8;
/** A pass grows until it takes this share of the time there is: long enough to measure, with some of them to compare. */
const PASS_SHARE = 1 / 12;

/** What one pass has seen. Seconds and blocks of `load` and `store` are those of the requests that ran beside others. */
export interface BenchPass {
  readonly requests: number;
  readonly store: { readonly blocks: number; readonly seconds: number; readonly samples: readonly StoreSample[] };
  /** Stores that had the tier for themselves. */
  readonly alone: readonly StoreSample[];
  readonly load: { readonly blocks: number; readonly seconds: number; readonly latenciesS: readonly number[] };
}

export interface BenchRunOptions {
  readonly rig: BenchRig;
  readonly clock: Clock;
  readonly blockBytes: number;
  /** Slots of the pool: the most blocks of a pass. */
  readonly numBlocks: number;
  readonly requestBlocks: number;
  /** A name that nobody else has: the keys are made from it. */
  readonly id: string;
  /** Whether everything in the tier's namespace is the bench's own. */
  readonly ownsNamespace: boolean;
  /** Seconds that each step may take. */
  readonly deadlineS: number;
}

interface BenchRequest {
  readonly id: string;
  readonly keys: readonly OffloadKey[];
}

/** Stores blocks of its own in a tier, loads and verifies them, and removes them again, pass by pass. */
export class BenchRun {
  /** Whether every block that was stored is gone again. */
  cleanedUp = true;
  readonly #options: BenchRunOptions;
  readonly #pattern: BlockPattern;
  #blocks = 0;
  #requests = 0;

  constructor(options: BenchRunOptions) {
    this.#options = options;
    this.#pattern = new BlockPattern(options.blockBytes);
  }

  /**
   * @param onProgress told after each pass which share of the time is over, 0 to 1
   * @returns the passes of the largest size there was time for
   * @throws Error that says what is wrong with the tier
   */
  async run(seconds: number, onProgress: (share: number) => void): Promise<readonly BenchPass[]> {
    const { clock, numBlocks, requestBlocks } = this.#options;
    const startedAt = clock.now();
    const elapsed = (): number => clock.now() - startedAt;
    const most = Math.max(2, Math.floor(numBlocks / requestBlocks));
    let passes: BenchPass[] = [];
    for (let requests = 2; passes.length === 0 || elapsed() < seconds;) {
      const passAt = elapsed();
      passes.push(await this.#pass(Math.min(requests, most)));
      onProgress(Math.min(1, elapsed() / seconds));
      const isQuick = elapsed() - passAt < PASS_SHARE * seconds;
      if (requests >= most || !isQuick || elapsed() >= seconds) continue;
      requests *= 2;
      passes = [];
    }
    // The first of a size pays for what is there from then on: files that grow, caches that fill.
    return passes.length > 1 ? passes.slice(1) : passes;
  }

  async #pass(count: number): Promise<BenchPass> {
    const requests = Array.from({ length: count }, () => this.#newRequest());
    const [first, ...others] = requests;
    try {
      const alone = await this.#storeAll(first === undefined ? [] : [first]);
      const store = await this.#storeAll(others);
      if (alone.samples.length === 0 || store.samples.length === 0)
        throw new Error("no store succeeded: see that there is room, and that it may be written");
      await this.#options.rig.manager.resetCache();
      return { requests: count, store, alone: alone.samples, load: await this.#loadAll(requests) };
    } finally {
      await this.#remove(requests.flatMap(({ keys }) => keys));
    }
  }

  #newRequest(): BenchRequest {
    const { id, requestBlocks } = this.#options;
    const keys = Array.from({ length: requestBlocks }, () =>
      makeOffloadKey(createHash("sha256").update(`kvtier bench ${id} ${++this.#blocks}`).digest()),
    );
    return { id: `kvtier-bench-${++this.#requests}`, keys };
  }

  /** Some at a time: a tier's queue is bounded, and what is over it would be dropped. */
  async #storeAll(requests: readonly BenchRequest[]): Promise<BenchPass["store"]> {
    const { rig, blockBytes } = this.#options;
    let seconds = 0;
    rig.probe.take();
    const before = this.#bytesWritten;
    for (let from = 0; from < requests.length; from += IN_FLIGHT) {
      seconds += await this.#step("the store", this.#storeTogether(requests.slice(from, from + IN_FLIGHT)));
    }
    return { blocks: (this.#bytesWritten - before) / blockBytes, seconds, samples: rig.probe.take() };
  }

  /** @returns seconds, without those in which the blocks were filled */
  async #storeTogether(requests: readonly BenchRequest[]): Promise<number> {
    const { rig, clock } = this.#options;
    const tickets = requests.map(({ id, keys }) => {
      const ticket = rig.cache.reserve(keys, { requestId: id });
      if (ticket === null) throw new Error("the pool has no room: blocks of the bench are stuck in the tier");
      for (const [key, block] of ticket.entries()) this.#pattern.fill(key, block);
      return ticket;
    });
    const startedAt = clock.now();
    for (const ticket of tickets) ticket.commit();
    await rig.cache.flush();
    return clock.now() - startedAt;
  }

  async #loadAll(requests: readonly BenchRequest[]): Promise<BenchPass["load"]> {
    const { clock } = this.#options;
    const latenciesS: number[] = [];
    let blocks = 0;
    let seconds = 0;
    for (let from = 0; from < requests.length; from += IN_FLIGHT) {
      const startedAt = clock.now();
      const loads = requests.slice(from, from + IN_FLIGHT).map((request) => this.#load(request));
      const loaded = await this.#step("the load", Promise.all(loads));
      seconds += clock.now() - startedAt;
      for (const { lease, latencyS, keys } of loaded) {
        // A tier with room for less than a pass may have dropped some by now; that is no fault of it.
        blocks += lease.hits;
        if (lease.hits > 0) latenciesS.push(latencyS);
        this.#verify(keys, lease.blocks);
        lease.release();
      }
    }
    if (blocks === 0) {
      const least = this.#options.requestBlocks;
      throw new Error(`no request could be loaded that was stored just before: it must keep ${least} blocks at least`);
    }
    return { blocks, seconds, latenciesS };
  }

  async #load({ id, keys }: BenchRequest) {
    const { rig, clock } = this.#options;
    const startedAt = clock.now();
    const lease = await rig.cache.acquire(keys, { requestId: id });
    return { lease, latencyS: clock.now() - startedAt, keys };
  }

  #verify(keys: readonly OffloadKey[], blocks: readonly Uint8Array[]): void {
    for (const [i, block] of blocks.entries()) {
      const key = keys[i];
      if (key !== undefined && this.#pattern.firstWrongByte(key, block) !== -1)
        throw new Error("a block came back with wrong bytes: do not use this tier; `kvtier doctor` tells more");
    }
  }

  /** These blocks alone, unless the whole namespace is the bench's: all else that the tier holds is somebody's. */
  async #remove(keys: readonly OffloadKey[]): Promise<void> {
    const { rig, ownsNamespace } = this.#options;
    const { tier } = rig;
    if (ownsNamespace && tier.clear !== undefined) await this.#step("removing the blocks", tier.clear());
    else if (tier.remove !== undefined) await this.#step("removing the blocks", tier.remove(keys));
    else this.cleanedUp = false;
  }

  get #bytesWritten(): number {
    return this.#options.rig.cache.stats().tiers[0]?.bytesWritten ?? 0;
  }

  #step<T>(what: string, work: Promise<T>): Promise<T> {
    return within(this.#options.clock, this.#options.deadlineS, `${what} did not end`, work);
  }
}
