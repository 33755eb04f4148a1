import type { StoreDetector } from "./backpressure.js";
import type { Clock } from "./clock.js";
import type { KvBlockView } from "./kv-block-view.js";
import type { Logger } from "./logger.js";
import type { Locality } from "./medium.js";
import type { OffloadingSpec } from "./offloading-spec.js";

/** All collaborators of one tier in one object, bound under `TOKENS.tierContext` while the tier is created. */
export interface TierContext<TConfig = unknown> {
  /** The configured `type`, which need not be the name in the tier's decorator. */
  readonly tierType: string;
  /** An instance of the tier's config class, the frozen raw options of a pass-through tier, or an empty object. */
  readonly config: TConfig;
  readonly primaryKvView: KvBlockView;
  readonly offloadingSpec: OffloadingSpec;
  /** `null` when the tier's config has no `backpressure` block. */
  readonly backpressureDetector: StoreDetector | null;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Tells the driver of the steps that a job or a look-up finished. Cheap, never throws, may be called at any time. */
  notify(): void;
  /** As configured, in upper case; absent or `null` when not configured. */
  readonly locality?: Locality | null;
  /** Whether this tier records block events: its own `enable_kv_events`, and the global one. */
  readonly enableKvEvents?: boolean;
}
