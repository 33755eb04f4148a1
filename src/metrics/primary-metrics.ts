import { LookupResult } from "../contracts/lookup-result.js";
import type { LookupDelays } from "./lookup-delays.js";
import type { PoolSizes } from "./pool-sizes.js";
import { PRIMARY_LABEL, type PrimaryStats } from "./tiering-stats.js";

/** What was counted already for one request and key. */
export interface CountedLookup {
  askedPrimary: boolean;
  allocationFailed: boolean;
}

/** What was counted already for one request. */
export interface CountedStores {
  storeRefused: boolean;
}

/** What the counters need to know of the pool they count for. */
export interface MeasuredPool {
  readonly tier: {
    readonly capacity: number;
    readonly residentBlocks: number;
    readonly pinnedBlocks: number;
    readonly writingBlocks: number;
    readonly evictions: number;
  };
  readonly busyBlocks: number;
}

/** Counts for the primary pool. */
export class PrimaryMetrics {
  queries = 0;
  hits = 0;
  storesRefused = 0;
  promotionAllocationFailures = 0;
  pendingDeadlines = 0;
  /** `null`: nobody wants to know. */
  sizes: PoolSizes | null = null;
  delays: LookupDelays | null = null;
  readonly #blockBytes: number;
  #blocksLoaded = 0;
  #blocksStored = 0;

  /** @param blockBytes bytes of one block */
  constructor(blockBytes: number) {
    this.#blockBytes = blockBytes;
  }

  /**
   * Counts the first answer that a request gets for a key: a block that was in the pool, readable or on its way, is a
   * hit; one that had to be promoted for this request is a miss here and a hit of the tier it came from.
   */
  count(record: CountedLookup, found: LookupResult): void {
    if (record.askedPrimary) return;
    record.askedPrimary = true;
    this.queries++;
    if (found === LookupResult.Hit || found === LookupResult.HitPending) this.hits++;
  }

  onAllocationFailed(record: CountedLookup): void {
    if (record.allocationFailed) return;
    record.allocationFailed = true;
    this.promotionAllocationFailures++;
  }

  /** A store of a request was refused or not. One that is tried again and again counts as one refusal. */
  countRefusal(request: CountedStores, isRefused: boolean): void {
    if (isRefused && !request.storeRefused) this.storesRefused++;
    request.storeRefused = isRefused;
  }

  /** A store was given slots for `blocks` new blocks. */
  onAllocated(blocks: number): void {
    if (blocks > 0) this.sizes?.allocation.observe(blocks);
  }

  /** A reader was given `blocks` blocks. */
  onLoad(blocks: number): void {
    if (blocks === 0) return;
    this.#blocksLoaded += blocks;
    this.sizes?.load.observe(blocks * this.#blockBytes);
  }

  /** The end of a store made `blocks` blocks readable. */
  onStored(blocks: number): void {
    if (blocks === 0) return;
    this.#blocksStored += blocks;
    this.sizes?.store.observe(blocks * this.#blockBytes);
  }

  snapshot({ tier, busyBlocks }: MeasuredPool): PrimaryStats {
    const { queries, hits, storesRefused, promotionAllocationFailures, pendingDeadlines } = this;
    return {
      label: PRIMARY_LABEL,
      capacityBlocks: tier.capacity,
      residentBlocks: tier.residentBlocks,
      pinnedBlocks: tier.pinnedBlocks,
      writingBlocks: tier.writingBlocks,
      busyBlocks,
      queries,
      hits,
      evictions: tier.evictions,
      storesRefused,
      promotionAllocationFailures,
      pendingDeadlines,
      bytesLoaded: this.#blocksLoaded * this.#blockBytes,
      bytesStored: this.#blocksStored * this.#blockBytes,
    };
  }
}
