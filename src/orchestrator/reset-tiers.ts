import type { Clock } from "../contracts/clock.js";
import type { Logger } from "../contracts/logger.js";
import { reasonOf } from "../errors/factory-errors.js";
import type { JobLedger } from "./job-ledger.js";
import { TIER_GRACE_S } from "./tier-grace.js";
import type { TierHandle } from "./tier-handle.js";
import { within } from "../contracts/within.js";

/** See {@link ResetOptions.deadlineS}. */
const RESET_DEADLINE_S = 60;

export interface ResetOptions {
  /** Whether to clear the secondary tiers too; absent: they keep what they hold. */
  readonly tiers?: boolean;
  /**
   * Seconds to wait for running transfers; absent: 60, twice as long as a job of a built-in tier may take unless told
   * otherwise. A tier that does not answer by then, and one second more, counts with all its jobs as unfinished. To be
   * cleared it has as long again; later it counts as not cleared, and nothing is looked up in it or stored until it is.
   */
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

export interface ResetDependencies {
  readonly ledger: JobLedger;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Takes in what the tiers report; may throw. */
  readonly collect: () => void;
}

/**
 * Lets transfers end, then clears each tier if that is asked for: a store that is still running would bring back what
 * was cleared. Until a tier is cleared nothing is looked up in it, or old blocks would come back through the pool.
 */
export async function resetTiers(
  tiers: readonly TierHandle[],
  options: ResetOptions,
  { ledger, logger, clock, collect }: ResetDependencies,
): Promise<ResetResult> {
  const { deadlineS = RESET_DEADLINE_S } = options;
  const drain = async (tier: TierHandle): Promise<readonly number[]> => {
    try {
      const drained = within(
        clock,
        deadlineS,
        `Tier ${tier.label} was not drained`,
        tier.drain(deadlineS),
        TIER_GRACE_S,
      );
      return (await drained).unfinished;
    } catch (error) {
      logger.error(`Tier ${tier.label}: drainJobs failed, so its transfers count as unfinished.`, {
        error: reasonOf(error),
      });
      return ledger.idsOf(tier);
    }
  };
  const faults: unknown[] = [];
  const clear = async (tier: TierHandle, resume: () => void): Promise<boolean> => {
    const clearing = tier.clear().finally(resume);
    try {
      return await within(clock, deadlineS, `Tier ${tier.label} was not cleared`, clearing, TIER_GRACE_S);
    } catch (error) {
      logger.error(`Tier ${tier.label}: clear hangs, so nothing is looked up in it or stored until that has ended.`, {
        error: reasonOf(error),
      });
      return false;
    }
  };
  const reset = async (tier: TierHandle): Promise<TierReset> => {
    const resume = options.tiers === true ? tier.pause() : null;
    const unfinished = await drain(tier);
    try {
      collect();
    } catch (fault) {
      faults.push(fault);
    }
    const isCleared = resume !== null && (await clear(tier, resume));
    tier.metrics.collectDropped(tier.pressure);
    tier.pressure.reset();
    return { index: tier.index, cleared: isCleared && unfinished.length === 0, unfinished };
  };
  const result = { tiers: await Promise.all(tiers.map(reset)) };
  if (faults.length > 0) throw faults[0];
  return result;
}
