import type { Clock } from "../contracts/clock.js";
import { shutdownFailed } from "../errors/factory-errors.js";
import { TIER_GRACE_S } from "./tier-grace.js";
import type { TierHandle } from "./tier-handle.js";
import { within } from "../contracts/within.js";

export interface ShutdownOptions {
  /** Seconds that running transfers have to end. */
  readonly deadlineS: number;
  readonly clock: Clock;
  /** Takes in what the tiers report; may throw. */
  readonly collect: () => void;
}

/**
 * Drains every tier, then closes them, newest first: what is being stored is stored before anything closes. One that
 * fails, or never comes to an end, does not keep the others from closing.
 *
 * @throws KvTierError `SHUTDOWN_FAILED`
 */
export async function shutDownTiers(
  tiers: readonly TierHandle[],
  { deadlineS, clock, collect }: ShutdownOptions,
): Promise<void> {
  const errors: unknown[] = [];
  const attempt = async (step: () => unknown): Promise<void> => {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  };
  const drain = (tier: TierHandle): Promise<unknown> =>
    within(clock, deadlineS, `Tier ${tier.label} was not drained`, tier.drain(deadlineS), TIER_GRACE_S);
  // A tier's own shutdown may wait for its I/O once more, and then for its client or threads.
  const close = (tier: TierHandle): Promise<unknown> =>
    within(clock, 2 * deadlineS, `Tier ${tier.label} did not close`, tier.close(), TIER_GRACE_S);

  await Promise.all(tiers.map((tier) => attempt(() => drain(tier))));
  await attempt(collect);
  for (const tier of [...tiers].reverse()) await attempt(() => close(tier));
  // Closing ends what the drain left; those results free the last pins.
  await attempt(collect);
  if (errors.length > 0) throw shutdownFailed("Secondary tiers", errors);
}
