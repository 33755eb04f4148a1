import type { TierFilter } from "./tier-filter.js";

/** The request on whose behalf blocks are looked up and moved. */
export interface RequestContext {
  readonly reqId: string;
  /** Engine-specific parameters that travel with the request; kvtier hands them on and reads none. */
  readonly kvTransferParams?: Readonly<Record<string, unknown>>;
  /** Which secondary tiers may serve this request; absent = all. */
  readonly loadTierFilter?: TierFilter;
}

/** What changed in the scheduler during the step that ends. */
export interface ScheduleEndContext {
  readonly newReqIds: readonly string[];
  readonly preemptedReqIds: readonly string[];
}
