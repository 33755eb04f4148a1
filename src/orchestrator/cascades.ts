import type { Clock } from "../contracts/clock.js";
import { LookupResult } from "../contracts/lookup-result.js";
import type { OffloadKey } from "../contracts/offload-key.js";
import type { JobResult } from "../contracts/transfer-job.js";
import type { FailedLoads } from "./failed-loads.js";
import type { JobLedger, OpenJob } from "./job-ledger.js";
import type { LateIo } from "./late-io.js";
import type { Pool } from "./pool.js";
import type { RequestState } from "./request-state.js";
import { tellJobEnded } from "./tell-job-ended.js";
import type { TierHandle } from "./tier-handle.js";

export interface CascadeDependencies {
  readonly pool: Pool;
  readonly tiers: readonly TierHandle[];
  readonly ledger: JobLedger;
  readonly failedLoads: FailedLoads;
  readonly lateIo: LateIo;
  readonly clock: Clock;
  readonly blockBytes: number;
}

/** Copies readable blocks of the pool into secondary tiers, as far as these can keep up. */
export class Cascades {
  readonly #deps: CascadeDependencies;
  /** Requests with blocks that are to be offered once they are readable. */
  readonly #parked = new Set<RequestState>();

  constructor(deps: CascadeDependencies) {
    this.#deps = deps;
  }

  get parkedRequests(): number {
    return this.#parked.size;
  }

  /** Offers readable blocks to every tier; `slots[i]` is the one of `keys[i]`. Both lists are kept. */
  submitToAll(keys: readonly OffloadKey[], slots: readonly number[], state: RequestState): void {
    for (const tier of this.#deps.tiers) this.#submit(keys, slots, state, tier);
  }

  /**
   * Offers those of `keys` that are in the pool to the tiers that want whole requests; what is still being written is
   * offered when it becomes readable.
   */
  offerResident(keys: readonly OffloadKey[], state: RequestState): void {
    const { pool } = this.#deps;
    const ready: OffloadKey[] = [];
    const slots: number[] = [];
    for (const key of new Set(keys)) {
      const slot = pool.tier.slotOf(key);
      if (slot === undefined) continue;
      if (pool.lookup(key) === LookupResult.HitPending) state.parked.add(key);
      else {
        ready.push(key);
        slots.push(slot);
      }
    }
    if (state.parked.size > 0) this.#parked.add(state);
    for (const tier of state.requestLevelTiers ?? []) this.#submit(ready, slots, state, tier);
  }

  /** Offers parked blocks that have become readable, and forgets those that have gone. Returns who has none left. */
  flushParked(): RequestState[] {
    const done: RequestState[] = [];
    for (const state of [...this.#parked]) {
      const keys = [...state.parked];
      state.parked.clear();
      this.offerResident(keys, state);
      if (state.parked.size > 0) continue;
      this.#parked.delete(state);
      done.push(state);
    }
    return done;
  }

  /** Forgets every parked block. */
  dropParked(): void {
    for (const state of this.#parked) state.parked.clear();
    this.#parked.clear();
  }

  /** Unpins the job's blocks, whatever became of it, and tells the tier's detector. */
  complete(open: OpenJob, result: JobResult): void {
    const { job, keys, slots, tier } = open;
    const { success } = result;
    this.#unpin(slots, result);
    const bytes = result.transferBytes ?? keys.length * this.#deps.blockBytes;
    const durationS = this.#deps.clock.now() - job.submitTime;
    const ended = { blocks: keys.length, success, bytes, moveS: result.transferTime ?? durationS, durationS };
    tier.metrics.onCascadeEnded(ended, result.dropped === true);
    if (success) this.#deps.failedLoads.onStored(keys, tier);
    tier.pressure.onStoreEnded(job, result, bytes);
    tellJobEnded(open, result, success ? ended : { ...ended, bytes: 0 }, success ? keys.length : 0);
  }

  /** A refused store leaves the blocks as they are: unpinned, readable, and without a job. */
  #submit(keys: readonly OffloadKey[], slots: readonly number[], state: RequestState, tier: TierHandle): void {
    if (keys.length === 0 || tier.isPaused || !tier.pressure.mayStore(keys.length)) return;
    const { pool, ledger, clock } = this.#deps;
    for (const slot of slots) pool.pin(slot);
    const job = {
      jobId: ledger.nextId(),
      keys: [...keys],
      blockIds: Int32Array.from(slots),
      isPromotion: false,
      reqContext: state.ctx,
      submitTime: clock.now(),
    };
    const open = { job, keys, slots, tier, batch: null };
    ledger.add(open);
    tier.metrics.onCascade(keys.length);
    if (tier.submit(job)) return;
    ledger.take(job.jobId);
    this.complete(open, tier.refusalOf(job));
  }

  #unpin(slots: readonly number[], { blocksReleased }: JobResult): void {
    const { pool, lateIo } = this.#deps;
    const unpin = (): void => {
      for (const slot of slots) pool.unpin(slot);
    };
    if (blocksReleased === undefined) unpin();
    else lateIo.after(blocksReleased, unpin);
  }
}
