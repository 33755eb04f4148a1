import type { Clock } from "../contracts/clock.js";
import type { OffloadKey } from "../contracts/offload-key.js";
import type { JobResult } from "../contracts/transfer-job.js";
import type { FailedLoads } from "./failed-loads.js";
import type { JobLedger, OpenJob } from "./job-ledger.js";
import type { KeyRecord } from "./key-record.js";
import type { LateIo } from "./late-io.js";
import { PromotionBatch } from "./promotion-batch.js";
import { Promotion } from "./promotion.js";
import type { ReadHolds } from "./read-holds.js";
import type { Pool } from "./pool.js";
import type { RequestState } from "./request-state.js";
import { tellJobEnded } from "./tell-job-ended.js";
import type { TierHandle } from "./tier-handle.js";

export interface PromotionDependencies {
  readonly pool: Pool;
  readonly ledger: JobLedger;
  readonly holds: ReadHolds;
  readonly failedLoads: FailedLoads;
  readonly lateIo: LateIo;
  readonly clock: Clock;
  readonly blockBytes: number;
}

/** Brings blocks from secondary tiers into the pool. One promotion per key, however many requests want it. */
export class Promotions {
  readonly #deps: PromotionDependencies;
  /** Batches by number, from their beginning until their job has ended. */
  readonly #batches = new Map<number, PromotionBatch>();
  /** Batches of this step, in the order they were begun. */
  readonly #queued = new Set<PromotionBatch>();
  #lastNumber = 0;

  constructor(deps: PromotionDependencies) {
    this.#deps = deps;
  }

  get queuedBatches(): number {
    return this.#queued.size;
  }

  /** Allocates a slot for `key` and queues its load; `false` when the pool has no room. */
  start(key: OffloadKey, state: RequestState, record: KeyRecord, tier: TierHandle): boolean {
    const slot = this.#deps.pool.allocate(key);
    if (slot === undefined) return false;
    const batch = this.#batchOf(state, tier);
    const promotion = new Promotion(key, slot, batch);
    this.#add(promotion, batch);
    this.#await(promotion, state, record);
    return true;
  }

  /** `state` waits for `key` too, if a promotion of it is under way. */
  join(key: OffloadKey, state: RequestState, record: KeyRecord): void {
    if (record.awaited !== null || record.givenUp) return;
    const promotion = this.#underWay(key);
    if (promotion !== undefined) this.#await(promotion, state, record);
  }

  /** `state` waits for `key` no more. The promotion goes on: others may want the block. */
  leave(key: OffloadKey, state: RequestState): void {
    const record = state.findRecord(key);
    if (record !== undefined) this.#leave(record, state);
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
    if (state.awaitedBlocks > 0) for (const record of state.records()) this.#leave(record, state);
    for (const batch of state.batches.values()) {
      this.#unqueue(batch);
      for (const promotion of batch.promotions) this.#handOver(promotion);
    }
    state.batches.clear();
  }

  /** Cancels everything that is queued. */
  cancelQueued(): void {
    for (const batch of this.#queued) {
      this.#unqueue(batch);
      batch.state.batches.delete(batch.tier);
      for (const promotion of batch.promotions) this.#fail(promotion, null);
      this.#deps.pool.completeStore(batch.promotions.map(keyOf), false);
    }
  }

  /** Makes what arrived readable, for those who wait; what did not arrive is gone, and its slots are free. */
  complete(open: OpenJob, batch: PromotionBatch, result: JobResult): void {
    const { pool, lateIo } = this.#deps;
    const { tier } = open;
    const { arrived, failed } = partOf(batch, result);
    this.#batches.delete(batch.number);
    this.#count(open, result, arrived.length);
    if (arrived.length > 0) pool.completeStore(arrived.map(keyOf), true);
    for (const promotion of arrived) this.#arrive(promotion);
    for (const promotion of failed) this.#fail(promotion, tier);
    if (failed.length === 0) return;
    if (result.blocksReleased === undefined) pool.completeStore(failed.map(keyOf), false);
    else {
      const slots = pool.abandonStore(failed.map(keyOf));
      lateIo.after(result.blocksReleased, () => pool.reclaimSlots(slots));
    }
  }

  #count(open: OpenJob, result: JobResult, arrived: number): void {
    const { clock, blockBytes } = this.#deps;
    const { success } = result;
    const durationS = clock.now() - open.job.submitTime;
    const moveS = result.transferTime ?? durationS;
    const ended = { blocks: open.keys.length, success, bytes: arrived * blockBytes, moveS, durationS };
    open.tier.metrics.onPromotionEnded(ended);
    tellJobEnded(open, result, ended, arrived);
  }

  #batchOf(state: RequestState, tier: TierHandle): PromotionBatch {
    let batch = state.batches.get(tier);
    if (batch === undefined) {
      batch = new PromotionBatch(++this.#lastNumber, tier, state);
      state.batches.set(tier, batch);
      this.#batches.set(batch.number, batch);
      this.#queued.add(batch);
    }
    return batch;
  }

  /** As writer of the slot the batch is no request, so that none can complete the store. */
  #add(promotion: Promotion, batch: PromotionBatch): void {
    batch.add(promotion);
    this.#deps.pool.setWriter(promotion.slot, -batch.number);
  }

  #unqueue(batch: PromotionBatch): void {
    this.#queued.delete(batch);
    this.#batches.delete(batch.number);
  }

  #submit(batch: PromotionBatch): void {
    const { ledger, clock } = this.#deps;
    const { tier, promotions } = batch;
    const keys = promotions.map(keyOf);
    const slots = promotions.map(({ slot }) => slot);
    const job = {
      jobId: ledger.nextId(),
      keys: [...keys],
      blockIds: Int32Array.from(slots),
      isPromotion: true,
      reqContext: batch.state.ctx,
      submitTime: clock.now(),
    };
    const open = { job, keys, slots, tier, batch };
    ledger.add(open);
    tier.metrics.onPromotion(keys.length);
    if (tier.submit(job)) return;
    ledger.take(job.jobId);
    this.complete(open, batch, tier.refusalOf(job));
  }

  /** The promotion of `key` that is queued or out; who writes the slot says in which batch. */
  #underWay(key: OffloadKey): Promotion | undefined {
    const { pool } = this.#deps;
    const slot = pool.tier.writingSlotOf(key);
    return slot === undefined ? undefined : this.#batches.get(-pool.writerOf(slot))?.find(slot);
  }

  #await(promotion: Promotion, state: RequestState, record: KeyRecord): void {
    if (!promotion.waiters.add(state)) return;
    record.source = promotion.batch.tier.index;
    record.awaited = promotion;
    state.awaitedBlocks++;
  }

  #leave(record: KeyRecord, state: RequestState): void {
    if (record.awaited === null) return;
    record.awaited.waiters.delete(state);
    record.source = -1;
    this.#awaitNoMore(record, state);
  }

  #awaitNoMore(record: KeyRecord, state: RequestState): void {
    record.awaited = null;
    state.awaitedBlocks--;
  }

  /** To the first of those who wait, or to nobody. */
  #handOver(promotion: Promotion): void {
    const { pool } = this.#deps;
    const heir = promotion.waiters.first;
    if (heir === undefined) {
      pool.completeStore([promotion.key], false);
      return;
    }
    this.#add(promotion, this.#batchOf(heir, promotion.batch.tier));
  }

  #arrive(promotion: Promotion): void {
    promotion.waiters.forEach((state) => this.#awaitNoMore(state.recordOf(promotion.key), state));
    if (promotion.waiters.size === 0) return;
    // Not after a reset: then the block is gone.
    if (this.#deps.pool.tier.isIdle(promotion.slot)) this.#deps.holds.hold(promotion);
  }

  #fail(promotion: Promotion, tier: TierHandle | null): void {
    const { key, waiters } = promotion;
    waiters.forEach((state) => {
      const record = state.recordOf(key);
      record.source = -1;
      this.#awaitNoMore(record, state);
      if (tier !== null) this.#deps.failedLoads.add(key, state, tier);
    });
  }
}

const keyOf = ({ key }: Promotion): OffloadKey => key;

function partOf(
  { promotions }: PromotionBatch,
  { success, successfulKeys = [] }: JobResult,
): { arrived: readonly Promotion[]; failed: readonly Promotion[] } {
  if (success) return { arrived: promotions, failed: [] };
  const reported = new Set(successfulKeys);
  return {
    arrived: promotions.filter(({ key }) => reported.has(key)),
    failed: promotions.filter(({ key }) => !reported.has(key)),
  };
}
