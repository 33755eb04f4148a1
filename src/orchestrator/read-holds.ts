import type { OffloadKey } from "../contracts/offload-key.js";
import type { Pool } from "./pool.js";
import type { PromotionBatch } from "./promotion-batch.js";
import type { Promotion } from "./promotion.js";
import type { RequestState } from "./request-state.js";

/**
 * Pins on promoted blocks that the requests they were promoted for have not read yet. Without them, requests that wait
 * at the same time evict each other's promotions and nobody gets anywhere. A store that needs the room may take them.
 */
export class ReadHolds {
  readonly #pool: Pool;
  /** Those of which blocks are held, oldest first. */
  readonly #batches = new Set<PromotionBatch>();
  #size = 0;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  get size(): number {
    return this.#size;
  }

  /** Keeps the promoted block, which is readable, until each of its waiters, at least one, has read it or is gone. */
  hold(promotion: Promotion): void {
    this.#pool.pin(promotion.slot);
    promotion.isHeld = true;
    this.#size++;
    if (promotion.batch.held++ === 0) this.#batches.add(promotion.batch);
    promotion.waiters.forEach((state) => {
      state.recordOf(promotion.key).held = promotion;
      state.heldBlocks++;
    });
  }

  /** `state` has read the block, or no longer waits for it. */
  drop(key: OffloadKey, state: RequestState): void {
    const promotion = state.findRecord(key)?.held;
    if (promotion != null) this.#drop(promotion, state);
  }

  dropAll(state: RequestState): void {
    if (state.heldBlocks === 0) return;
    for (const { held } of state.records()) if (held !== null) this.#drop(held, state);
  }

  /**
   * Lets go of `count` blocks that nobody else has pinned, none of `spared`: those of the newest waiting request first,
   * and of each request the tail of the prefix first. All or none.
   *
   * @returns who loses which block; `null` when there are fewer than `count`.
   */
  yield(count: number, spared: ReadonlySet<OffloadKey>): readonly { key: OffloadKey; losers: RequestState[] }[] | null {
    const candidates = this.#held().filter(({ key }) => !spared.has(key) && this.#pool.tier.refCount(key) === 1);
    if (candidates.length < count) return null;
    // Later holds of one request are further along its prefix, and the sort is stable.
    const chosen = candidates
      .reverse()
      .sort((a, b) => oldestWaiter(b) - oldestWaiter(a))
      .slice(0, count);
    return chosen.map((promotion) => {
      const losers = promotion.waiters.toArray();
      for (const state of losers) this.#drop(promotion, state);
      return { key: promotion.key, losers };
    });
  }

  #held(): Promotion[] {
    return [...this.#batches].flatMap(({ promotions }) => promotions.filter(({ isHeld }) => isHeld));
  }

  #drop(promotion: Promotion, state: RequestState): void {
    state.recordOf(promotion.key).held = null;
    state.heldBlocks--;
    promotion.waiters.delete(state);
    if (promotion.waiters.size === 0) this.#release(promotion);
  }

  #release(promotion: Promotion): void {
    promotion.isHeld = false;
    this.#size--;
    if (--promotion.batch.held === 0) this.#batches.delete(promotion.batch);
    this.#pool.unpin(promotion.slot);
  }
}

/** A block is worth as much as the oldest request that waits for it. */
const oldestWaiter = ({ waiters }: Promotion): number => Math.min(...waiters.toArray().map(({ ordinal }) => ordinal));
