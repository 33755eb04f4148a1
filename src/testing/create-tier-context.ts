import { silentLogger } from "../contracts/logger.js";
import type { TierContext } from "../contracts/tier-context.js";
import { PrimaryKvView } from "../primary/primary-kv-view.js";
import { createTestSpec } from "./create-test-spec.js";
import { ManualClock } from "./manual-clock.js";

/**
 * A `TierContext` to construct a tier with, without a container: `new AcmeTier(createTierContext({ config }))`.
 * What `overrides` leaves out is a `test` tier with empty options, a pool that fits the spec (64 blocks of 256 bytes), a
 * {@link ManualClock}, no detector, and a log and `notify` that go nowhere. Options are not validated.
 */
export function createTierContext<TConfig = unknown>(
  overrides: Partial<TierContext<TConfig>> = {},
): TierContext<TConfig> {
  const offloadingSpec = overrides.offloadingSpec ?? createTestSpec(sizesOf(overrides.primaryKvView));
  const { numBlocks, blockBytes } = offloadingSpec;
  return {
    tierType: "test",
    config: {} as TConfig,
    offloadingSpec,
    primaryKvView: overrides.primaryKvView ?? PrimaryKvView.allocate(numBlocks, blockBytes),
    backpressureDetector: null,
    clock: new ManualClock(),
    logger: silentLogger,
    notify: () => {},
    ...overrides,
  };
}

function sizesOf(view: TierContext["primaryKvView"] | undefined): { numBlocks?: number; blockBytes?: number } {
  return view === undefined ? {} : { numBlocks: view.numBlocks, blockBytes: view.blockBytes };
}
