import type { LookupDelays, OpenRetries } from "../metrics/lookup-delays.js";
import type { Promotion } from "./promotion.js";

/** What one request knows of one key it looked up. */
export class KeyRecord implements OpenRetries {
  /** Tiers below this index were asked; the primary is counted by `askedPrimary`. For counting each query once. */
  askedTiers = 0;
  askedPrimary = false;
  /** Index of the tier whose hit was counted; -1: none. */
  hitTier = -1;
  /** Tier that served the key for this request; -1: it was in the primary pool. */
  source = -1;
  /** Whether the request is done with waiting for the key: past its deadline, or its promoted block was taken. */
  givenUp = false;
  /** Whether a failed allocation was counted. */
  allocationFailed = false;
  /** Seconds on the clock at the first of the latest answers that were not final; `null`: the last one was. */
  pendingSince: number | null = null;
  /** The promotion that this request waits for. */
  awaited: Promotion | null = null;
  /** The promoted block that is kept for this request until it reads it. */
  held: Promotion | null = null;
  /** Tiers that failed to deliver the key to this request; see `FailedLoads`. */
  failedTiers: Set<number> | null = null;
  /** Since when tiers have not known; kept while somebody measures it. */
  retriedSince: Map<LookupDelays, number> | null = null;
}
