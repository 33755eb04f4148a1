import type { Logger } from "../contracts/logger.js";
import { reasonOf } from "../errors/factory-errors.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import type { DashboardSource } from "./dashboard-source.js";

/** Seconds for which whoever clears waits for tiers, and an application that closes for the answer, at most twice. */
const CLEAR_DEADLINE_S = 10;

/** A status and a JSON body. */
export interface ClearAnswer {
  readonly status: number;
  readonly body: object;
}

/**
 * Clears the pool of the cache called `cache`, and with `tiers=true` what its tiers hold.
 *
 * @returns what `resetCache` says, or why it was not done; of an error only the code, since its message may quote a config
 */
export async function clearCache(
  sources: readonly DashboardSource[],
  query: URLSearchParams,
  logger: Logger,
): Promise<ClearAnswer> {
  const source = sources.find(({ name }) => name === query.get("cache"));
  if (source === undefined) return { status: 404, body: { error: "There is no cache of that name." } };
  const tiers = query.get("tiers") === "true";
  try {
    const result = await source.reset({ tiers, deadlineS: CLEAR_DEADLINE_S });
    logger.info("A cache was cleared from the dashboard", { cache: source.name, tiers });
    return { status: 200, body: result };
  } catch (error) {
    logger.error("A cache could not be cleared from the dashboard", { cache: source.name, error: reasonOf(error) });
    const code = KvTierError.is(error) ? error.code : "UNKNOWN";
    return { status: 500, body: { error: `The cache was not cleared (${code}); the log says why.` } };
  }
}
