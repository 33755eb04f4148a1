import { LookupResult } from "../contracts/lookup-result.js";
import type { PrimaryStats } from "./tiering-stats.js";

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
  readonly tier: { readonly capacity: number; readonly residentBlocks: number; readonly evictions: number };
  readonly busyBlocks: number;
}

/** Counts for the primary pool. */
export class PrimaryMetrics {
  queries = 0;
  hits = 0;
  storesRefused = 0;
  promotionAllocationFailures = 0;
  pendingDeadlines = 0;

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

  snapshot(label: string, { tier, busyBlocks }: MeasuredPool): PrimaryStats {
    const { queries, hits, storesRefused, promotionAllocationFailures, pendingDeadlines } = this;
    return {
      label,
      capacityBlocks: tier.capacity,
      residentBlocks: tier.residentBlocks,
      busyBlocks,
      queries,
      hits,
      evictions: tier.evictions,
      storesRefused,
      promotionAllocationFailures,
      pendingDeadlines,
    };
  }
}
