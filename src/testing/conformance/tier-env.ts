import type { Clock } from "../../contracts/clock.js";
import type { KvBlockView } from "../../contracts/kv-block-view.js";
import type { Logger } from "../../contracts/logger.js";
import type { OffloadingSpec } from "../../contracts/offloading-spec.js";
import type { SecondaryTierManager } from "../../contracts/secondary-tier-manager.js";

/** What a tier under test is built from. Each test gets its own. */
export interface TierEnv {
  /** 64 slots of 1,000 bytes. */
  readonly primaryKvView: KvBlockView;
  /** Fits the view; block events are on. */
  readonly offloadingSpec: OffloadingSpec;
  /** The real one: a tier that waits, waits for real. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** Absolute path of an empty folder of this test's own, removed afterwards. */
  readonly folder: string;
}

/**
 * Builds the tier for one test, empty: `(env) => new AcmeTier(createTierContext({ ...env, config }))`. The suite calls
 * `initialize` and `shutdown`.
 */
export type MakeTier = (env: TierEnv) => SecondaryTierManager | Promise<SecondaryTierManager>;
