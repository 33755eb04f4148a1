import { LookupResult } from "../contracts/lookup-result.js";

/** What was counted already for one request and key. */
export interface CountedLookup {
  askedPrimary: boolean;
  allocationFailed: boolean;
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
}
