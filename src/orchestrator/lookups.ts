import type { Clock } from "../contracts/clock.js";
import { LookupResult } from "../contracts/lookup-result.js";
import type { OffloadKey } from "../contracts/offload-key.js";
import type { RequestContext } from "../contracts/request-context.js";
import type { PrimaryMetrics } from "../metrics/primary-metrics.js";
import type { KeyRecord } from "./key-record.js";
import type { Pool } from "./pool.js";
import type { Promotions } from "./promotions.js";
import type { RequestState } from "./request-state.js";
import type { TierHandle } from "./tier-handle.js";

export interface LookupDependencies {
  readonly pool: Pool;
  readonly tiers: readonly TierHandle[];
  readonly promotions: Promotions;
  readonly metrics: PrimaryMetrics;
  readonly clock: Clock;
  /** Seconds after which a pending look-up or promotion is a miss for its requester; absent: never. */
  readonly pendingDeadlineS: number | undefined;
}

/** Finds a block: in the pool, else in the first secondary tier that has it, whose block is then promoted. */
export class Lookups {
  readonly #deps: LookupDependencies;

  constructor(deps: LookupDependencies) {
    this.#deps = deps;
  }

  lookup(key: OffloadKey, state: RequestState, ctx: RequestContext): LookupResult {
    const { pool, promotions, metrics } = this.#deps;
    const record = state.recordOf(key);
    const found = pool.lookup(key);
    metrics.count(record, found);
    if (found === LookupResult.Hit) return found;
    if (found === LookupResult.HitPending) {
      promotions.join(key, state);
      return this.#pending(record, found);
    }
    if (record.givenUp || pool.isBlocked(key)) return LookupResult.Miss;
    return this.#lookupTiers(key, state, ctx, record);
  }

  #lookupTiers(key: OffloadKey, state: RequestState, ctx: RequestContext, record: KeyRecord): LookupResult {
    let retry = false;
    for (const tier of this.#deps.tiers) {
      if (!tier.isAllowedBy(ctx.loadTierFilter) || record.failedTiers?.has(tier.index)) continue;
      const found = tier.lookup(key, ctx);
      countQuery(tier, record);
      if (found === LookupResult.Hit) {
        countHit(tier, record);
        return this.#promote(key, state, record, tier);
      }
      // A tier has a block or not; `HitPending` of a tier is no promise that it can be loaded.
      if (found === LookupResult.Retry) retry = true;
    }
    return retry ? this.#pending(record, LookupResult.Retry) : LookupResult.Miss;
  }

  /** Later tiers are not tried when the pool is full: they would not fit either. */
  #promote(key: OffloadKey, state: RequestState, record: KeyRecord, tier: TierHandle): LookupResult {
    if (this.#deps.promotions.start(key, state, tier)) return this.#pending(record, LookupResult.HitPending);
    this.#deps.metrics.onAllocationFailed(record);
    return LookupResult.Miss;
  }

  /** `answer`, unless this request has waited for the key for too long. */
  #pending(record: KeyRecord, answer: LookupResult): LookupResult {
    const { pendingDeadlineS, clock, metrics } = this.#deps;
    if (record.givenUp) return LookupResult.Miss;
    if (pendingDeadlineS === undefined) return answer;
    const now = clock.now();
    if (Number.isNaN(record.pendingSince)) record.pendingSince = now;
    if (now - record.pendingSince < pendingDeadlineS) return answer;
    record.givenUp = true;
    metrics.pendingDeadlines++;
    return LookupResult.Miss;
  }
}

/** Tiers are asked in order and a request's filter does not change, so the next new one has a higher index. */
function countQuery(tier: TierHandle, record: KeyRecord): void {
  if (tier.index < record.askedTiers) return;
  record.askedTiers = tier.index + 1;
  tier.metrics.queries++;
}

function countHit(tier: TierHandle, record: KeyRecord): void {
  if (record.hitTier === tier.index) return;
  record.hitTier = tier.index;
  tier.metrics.hits++;
}
