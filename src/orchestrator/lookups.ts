import type { Clock } from "../contracts/clock.js";
import { LookupResult } from "../contracts/lookup-result.js";
import type { OffloadKey } from "../contracts/offload-key.js";
import type { RequestContext } from "../contracts/request-context.js";
import { CHANNELS } from "../diagnostics/channels.js";
import type { PrimaryMetrics } from "../metrics/primary-metrics.js";
import { PRIMARY_LABEL } from "../metrics/tiering-stats.js";
import { DeadlineQueue } from "../tiers/shared/deadline-queue.js";
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
  /** Called when such a deadline has passed. */
  readonly notify: () => void;
}

/** By how much a notice of a passed deadline comes late, in seconds: a timer may be early, and sums are rounded. */
const NOTICE_DELAY_S = 0.001;

/** Finds a block: in the pool, else in the first secondary tier that has it, whose block is then promoted. */
export class Lookups {
  readonly #deps: LookupDependencies;
  readonly #deadlines: DeadlineQueue;
  /** Whether somebody began to wait in this step. */
  #hasNewlyPending = false;
  #retriesInStep = 0;
  #openRetries = 0;

  constructor(deps: LookupDependencies) {
    this.#deps = deps;
    this.#deadlines = new DeadlineQueue(deps.clock, (deps.pendingDeadlineS ?? Infinity) + NOTICE_DELAY_S);
  }

  lookup(key: OffloadKey, state: RequestState, ctx: RequestContext): LookupResult {
    const record = state.recordOf(key);
    const answer = this.#lookup(key, state, ctx, record);
    if (CHANNELS.lookup.hasSubscribers) this.#tell(key, ctx, record, answer);
    return answer;
  }
  /** Whether a tier asked, in the last step, to be asked again. */
  get hasOpenRetries(): boolean {
    return this.#openRetries > 0;
  }

  /** One notice for all whose waiting began in the step that ends. */
  endStep(): void {
    this.#openRetries = this.#retriesInStep;
    this.#retriesInStep = 0;
    if (!this.#hasNewlyPending) return;
    this.#hasNewlyPending = false;
    this.#deadlines.add(this.#deps.notify);
  }

  #lookup(key: OffloadKey, state: RequestState, ctx: RequestContext, record: KeyRecord): LookupResult {
    const { pool, promotions, metrics, clock } = this.#deps;
    const { delays } = metrics;
    const found = delays === null ? pool.lookup(key) : delays.time(clock, record, () => pool.lookup(key));
    metrics.count(record, found);
    if (found === LookupResult.HitPending) {
      promotions.join(key, state, record);
      return this.#pending(key, state, record, found);
    }
    const answer = found === LookupResult.Hit ? found : this.#lookupTiers(key, state, ctx, record);
    if (answer === LookupResult.Hit || answer === LookupResult.Miss) record.pendingSince = null;
    return answer;
  }

  #lookupTiers(key: OffloadKey, state: RequestState, ctx: RequestContext, record: KeyRecord): LookupResult {
    if (record.givenUp || this.#deps.pool.isBlocked(key)) return LookupResult.Miss;
    let retry = false;
    for (const tier of this.#deps.tiers) {
      if (tier.isPaused || !tier.isAllowedBy(ctx.loadTierFilter) || record.failedTiers?.has(tier.index)) continue;
      const { delays } = tier.metrics;
      const found =
        delays === null ? tier.lookup(key, ctx) : delays.time(this.#deps.clock, record, () => tier.lookup(key, ctx));
      countQuery(tier, record);
      if (found === LookupResult.Hit) {
        countHit(tier, record);
        return this.#promote(key, state, record, tier);
      }
      // A tier has a block or not; `HitPending` of a tier is no promise that it can be loaded.
      if (found === LookupResult.Retry) retry = true;
    }
    if (retry) this.#retriesInStep++;
    return retry ? this.#pending(key, state, record, LookupResult.Retry) : LookupResult.Miss;
  }

  /** Later tiers are not tried when the pool is full: they would not fit either. */
  #promote(key: OffloadKey, state: RequestState, record: KeyRecord, tier: TierHandle): LookupResult {
    if (this.#deps.promotions.start(key, state, record, tier)) {
      return this.#pending(key, state, record, LookupResult.HitPending);
    }
    this.#deps.metrics.onAllocationFailed(record);
    return LookupResult.Miss;
  }

  /** `answer`, unless this request has waited for the key for too long. */
  #pending(key: OffloadKey, state: RequestState, record: KeyRecord, answer: LookupResult): LookupResult {
    const { pendingDeadlineS, promotions, clock, metrics } = this.#deps;
    if (record.givenUp) return LookupResult.Miss;
    if (pendingDeadlineS === undefined) return answer;
    const now = clock.now();
    if (record.pendingSince === null) {
      record.pendingSince = now;
      this.#hasNewlyPending = true;
    }
    if (now - record.pendingSince < pendingDeadlineS) return answer;
    record.givenUp = true;
    metrics.pendingDeadlines++;
    promotions.leave(key, state);
    return LookupResult.Miss;
  }

  #tell(key: OffloadKey, { reqId }: RequestContext, record: KeyRecord, result: LookupResult): void {
    const isSomewhere = result === LookupResult.Hit || result === LookupResult.HitPending;
    const tier = isSomewhere ? (this.#deps.tiers[record.source]?.label ?? PRIMARY_LABEL) : null;
    CHANNELS.lookup.publish({ requestId: reqId, key, result, tier });
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
