import type { TierHandle } from "./tier-handle.js";

export interface ResetOptions {
  /** Whether to clear the secondary tiers too; absent: they keep what they hold. */
  readonly tiers?: boolean;
  /** Seconds to wait for running transfers; absent: until all have ended. */
  readonly deadlineS?: number;
}

export interface TierReset {
  /** Position in `secondary_tiers`, from 0. */
  readonly index: number;
  /** `true` only when the tier holds nothing from before: it was asked to, could, and no transfer was still out. */
  readonly cleared: boolean;
  /** Ids of the jobs that were still out at the deadline. */
  readonly unfinished: readonly number[];
}

export interface ResetResult {
  /** In the order of `secondary_tiers`. */
  readonly tiers: readonly TierReset[];
}

/**
 * Lets transfers end, then clears each tier if that is asked for: a store that is still running would bring back what
 * was cleared.
 */
export async function resetTiers(
  tiers: readonly TierHandle[],
  options: ResetOptions,
  collect: () => void,
): Promise<ResetResult> {
  const reset = async (tier: TierHandle): Promise<TierReset> => {
    const { unfinished } = await tier.drain(options.deadlineS);
    collect();
    const cleared = options.tiers === true && (await tier.clear()) && unfinished.length === 0;
    tier.detector?.reset();
    return { index: tier.index, cleared, unfinished };
  };
  return { tiers: await Promise.all(tiers.map(reset)) };
}
