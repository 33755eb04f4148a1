import type { LookupDelays } from "./lookup-delays.js";
import type { PoolSizes } from "./pool-sizes.js";

/** Histograms, which cumulative figures cannot tell. Counted since they were first asked for. */
export interface Distributions {
  readonly pool: PoolSizes;
  /** By label, the pool's first, then in the order of `secondary_tiers`. */
  readonly lookups: readonly { readonly label: string; readonly delays: LookupDelays }[];
}
