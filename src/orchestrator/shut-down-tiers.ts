import { shutdownFailed } from "../errors/factory-errors.js";
import type { TierHandle } from "./tier-handle.js";

/**
 * Drains every tier, then closes them, newest first: what is being stored is stored before anything closes. One that
 * fails does not keep the others from closing.
 *
 * @throws KvTierError `SHUTDOWN_FAILED`
 */
export async function shutDownTiers(
  tiers: readonly TierHandle[],
  deadlineS: number,
  collect: () => void,
): Promise<void> {
  const errors: unknown[] = [];
  const attempt = async (step: () => unknown): Promise<void> => {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  };
  await Promise.all(tiers.map((tier) => attempt(() => tier.drain(deadlineS))));
  await attempt(collect);
  for (const tier of [...tiers].reverse()) await attempt(() => tier.close());
  // Closing ends what the drain left; those results free the last pins.
  await attempt(collect);
  if (errors.length > 0) throw shutdownFailed("Secondary tiers", errors);
}
