import type { OffloadKey } from "../contracts/offload-key.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import type { PrimaryMetrics } from "../metrics/primary-metrics.js";
import type { PreparedStore } from "../primary/primary-tier.js";
import type { Cascades } from "./cascades.js";
import type { Pool } from "./pool.js";
import type { ReadHolds } from "./read-holds.js";
import type { RequestState } from "./request-state.js";
import { without } from "./without.js";

export interface StoreDependencies {
  readonly pool: Pool;
  readonly holds: ReadHolds;
  readonly cascades: Cascades;
  readonly metrics: PrimaryMetrics;
}

/** New blocks on their way from a request into the pool. */
export class Stores {
  readonly #deps: StoreDependencies;

  constructor(deps: StoreDependencies) {
    this.#deps = deps;
  }

  prepare(keys: readonly OffloadKey[], state: RequestState): PreparedStore | null {
    const { pool, cascades, metrics } = this.#deps;
    const plan = pool.prepareStore(keys, state.ordinal) ?? this.#prepareWithHeldRoom(keys, state);
    metrics.countRefusal(state, plan === null);
    if (plan === null) return null;
    metrics.onAllocated(plan.keysToStore.length);
    state.outstandingBlocks += plan.keysToStore.length;
    if (state.requestLevelTiers !== null) cascades.offerResident(without(keys, plan.keysToStore), state);
    return plan;
  }

  complete(keys: readonly OffloadKey[], state: RequestState | undefined, success: boolean): void {
    const { pool, cascades, metrics } = this.#deps;
    const own = this.#slotsOfOwnWrites(keys, state);
    const ended: OffloadKey[] = [];
    const readable: OffloadKey[] = [];
    const slots: number[] = [];
    for (const [i, slot] of own.entries()) {
      const key = keys[i];
      // A key named twice has ended by the second time.
      if (slot === null || key === undefined || !pool.endWriting(slot)) continue;
      ended.push(key);
      // What a reset detached while it was written never becomes readable.
      if (!success || pool.isBlocked(key)) continue;
      readable.push(key);
      slots.push(slot);
    }
    if (ended.length === 0 || state === undefined) return;
    pool.completeStore(ended, success);
    state.outstandingBlocks -= ended.length;
    metrics.onStored(readable.length);
    cascades.submitToAll(readable, slots, state);
  }

  /** A running store is never starved by blocks that others only wait to read. */
  #prepareWithHeldRoom(keys: readonly OffloadKey[], state: RequestState): PreparedStore | null {
    const { pool, holds } = this.#deps;
    if (holds.size === 0) return null;
    const wanted = new Set(keys);
    let absent = 0;
    let spared = 0;
    for (const key of wanted) {
      const pins = pool.tier.refCount(key);
      if (pins === 0) spared++;
      else if (pins === undefined && !pool.isBlocked(key)) absent++;
    }
    const yielded = holds.yield(absent - (pool.tier.availableBlocks - spared), wanted);
    if (yielded === null) return null;
    for (const { key, losers } of yielded) for (const loser of losers) loser.recordOf(key).givenUp = true;
    return pool.prepareStore(keys, state.ordinal);
  }

  /** For each key the slot that this request is writing it to; `null`: nobody is writing it. */
  #slotsOfOwnWrites(keys: readonly OffloadKey[], state: RequestState | undefined): (number | null)[] {
    const { pool } = this.#deps;
    return keys.map((key) => {
      const slot = pool.writingSlotOf(key);
      if (slot === undefined) return null;
      if (pool.writerOf(slot) !== state?.ordinal) throw foreignWrite(key, state);
      return slot;
    });
  }
}

function foreignWrite(key: OffloadKey, state: RequestState | undefined): KvTierError {
  const who = state === undefined ? "This request" : `Request '${state.ctx.reqId}'`;
  return new KvTierError(
    "INVALID_STATE",
    `${who} cannot complete the store of block ${key}: somebody else is writing it. Complete only keysToStore.`,
  );
}
