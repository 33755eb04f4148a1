import type { Clock } from "../contracts/clock.js";
import type { OffloadKey } from "../contracts/offload-key.js";
import type { JobResult, TransferJob } from "../contracts/transfer-job.js";
import type { FailedLoads } from "./failed-loads.js";
import type { JobLedger, OpenJob } from "./job-ledger.js";
import type { LateIo } from "./late-io.js";
import { PromotionBatch } from "./promotion-batch.js";
import type { ReadHolds } from "./read-holds.js";
import type { Pool } from "./pool.js";
import type { RequestState } from "./request-state.js";
import type { TierHandle } from "./tier-handle.js";
import { without } from "./without.js";

/** A block on its way from a tier into its slot, and the live requests that wait for it, the first to ask first. */
interface Promotion {
  readonly tier: TierHandle;
  readonly waiters: Set<RequestState>;
}

export interface PromotionDependencies {
  readonly pool: Pool;
  readonly ledger: JobLedger;
  readonly holds: ReadHolds;
  readonly failedLoads: FailedLoads;
  readonly lateIo: LateIo;
  readonly clock: Clock;
  readonly blockBytes: number;
}

/** As writer of a slot: no request, so that none can complete it. */
const PROMOTION = 0;

/** Brings blocks from secondary tiers into the pool. One promotion per key, however many requests want it. */
export class Promotions {
  readonly #deps: PromotionDependencies;
  readonly #underWay = new Map<OffloadKey, Promotion>();
  /** Batches of this step, in the order they were begun. */
  readonly #queued = new Set<PromotionBatch>();

  constructor(deps: PromotionDependencies) {
    this.#deps = deps;
  }

  get queuedBatches(): number {
    return this.#queued.size;
  }

  /** Allocates a slot for `key` and queues its load; `false` when the pool has no room. */
  start(key: OffloadKey, state: RequestState, tier: TierHandle): boolean {
    const plan = this.#deps.pool.prepareStore([key], PROMOTION);
    const slot = plan?.blockIds[0];
    if (slot === undefined) return false;
    this.#underWay.set(key, { tier, waiters: new Set() });
    this.join(key, state);
    this.#batchOf(state, tier).add(key, slot);
    return true;
  }

  /** `state` waits for `key` too, if a promotion of it is under way. */
  join(key: OffloadKey, state: RequestState): void {
    const promotion = this.#underWay.get(key);
    if (promotion === undefined || promotion.waiters.has(state)) return;
    const record = state.recordOf(key);
    if (record.givenUp) return;
    record.source = promotion.tier.index;
    state.awaited.add(key);
    promotion.waiters.add(state);
  }

  /** `state` waits for `key` no more. The promotion goes on: others may want the block. */
  leave(key: OffloadKey, state: RequestState): void {
    if (!state.awaited.delete(key)) return;
    state.recordOf(key).source = -1;
    this.#underWay.get(key)?.waiters.delete(state);
  }

  /** One load job for each tier and request that queued promotions in this step. */
  flush(): void {
    for (const batch of [...this.#queued]) {
      // A tier may end a request from inside its submit, which gives up that request's batches.
      if (!this.#queued.delete(batch)) continue;
      batch.state.batches.delete(batch.tier);
      this.#submit(batch);
    }
  }

  /**
   * The request is finished and waits for nothing. Of its queued promotions, those that another request waits for become
   * that request's; the others never happen.
   */
  abandon(state: RequestState): void {
    this.#deps.holds.dropAll(state);
    for (const key of state.awaited) this.leave(key, state);
    for (const batch of state.batches.values()) {
      this.#queued.delete(batch);
      for (const [key, slot] of batch.entries()) this.#handOver(key, slot, batch.tier);
    }
    state.batches.clear();
  }

  /** Cancels everything that is queued. */
  cancelQueued(): void {
    for (const batch of this.#queued) {
      batch.state.batches.delete(batch.tier);
      for (const key of batch.keys) this.#fail(key, null);
      this.#deps.pool.completeStore(batch.keys, false);
    }
    this.#queued.clear();
  }

  /** Makes what arrived readable, for those who wait; what did not arrive is gone, and its slots are free. */
  complete({ job, keys, tier }: OpenJob, result: JobResult): void {
    const { pool, lateIo } = this.#deps;
    const failed = result.success ? [] : without(keys, result.successfulKeys ?? []);
    const arrived = without(keys, failed);
    this.#count(tier, job, result, arrived.length);
    if (arrived.length > 0) pool.completeStore(arrived, true);
    for (const key of arrived) this.#arrive(key);
    for (const key of failed) this.#fail(key, tier);
    if (failed.length === 0) return;
    if (result.blocksReleased === undefined) pool.completeStore(failed, false);
    else {
      const slots = pool.abandonStore(failed);
      lateIo.after(result.blocksReleased, () => pool.reclaimSlots(slots));
    }
  }

  #count({ metrics }: TierHandle, job: TransferJob, { success }: JobResult, arrived: number): void {
    const { clock, blockBytes } = this.#deps;
    metrics.activePromotions--;
    metrics.bytesRead += arrived * blockBytes;
    if (success) metrics.readLatency.record(clock.now() - job.submitTime);
    else metrics.promotionFailures++;
  }

  #batchOf(state: RequestState, tier: TierHandle): PromotionBatch {
    let batch = state.batches.get(tier);
    if (batch === undefined) {
      batch = new PromotionBatch(tier, state);
      state.batches.set(tier, batch);
      this.#queued.add(batch);
    }
    return batch;
  }

  #submit(batch: PromotionBatch): void {
    const { ledger, clock } = this.#deps;
    const { tier, keys } = batch;
    const job = {
      jobId: ledger.nextId(),
      keys: [...keys],
      blockIds: batch.blockIds,
      isPromotion: true,
      reqContext: batch.state.ctx,
      submitTime: clock.now(),
    };
    const open = { job, keys, tier };
    ledger.add(open);
    tier.metrics.activePromotions++;
    if (tier.submit(job)) return;
    ledger.take(job.jobId);
    this.complete(open, tier.refusalOf(job));
  }

  /** To the first of those who wait, or to nobody. */
  #handOver(key: OffloadKey, slot: number, tier: TierHandle): void {
    for (const heir of this.#underWay.get(key)?.waiters ?? []) {
      this.#batchOf(heir, tier).add(key, slot);
      return;
    }
    this.#underWay.delete(key);
    this.#deps.pool.completeStore([key], false);
  }

  #arrive(key: OffloadKey): void {
    const waiters = this.#end(key);
    if (waiters.size > 0 && this.#deps.pool.tier.refCount(key) === 0) this.#deps.holds.hold(key, waiters);
  }

  #fail(key: OffloadKey, tier: TierHandle | null): void {
    for (const state of this.#end(key)) {
      state.recordOf(key).source = -1;
      if (tier !== null) this.#deps.failedLoads.add(key, state, tier);
    }
  }

  /** Ends the promotion of `key`; returns who waited for it. */
  #end(key: OffloadKey): Set<RequestState> {
    const waiters = this.#underWay.get(key)?.waiters ?? new Set<RequestState>();
    this.#underWay.delete(key);
    for (const state of waiters) state.awaited.delete(key);
    return waiters;
  }
}
