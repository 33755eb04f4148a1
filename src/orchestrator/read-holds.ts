import type { OffloadKey } from "../contracts/offload-key.js";
import type { Pool } from "./pool.js";
import type { RequestState } from "./request-state.js";

interface Hold {
  readonly key: OffloadKey;
  readonly waiters: Set<RequestState>;
}

/**
 * Pins on promoted blocks that the requests they were promoted for have not read yet. Without them, requests that wait
 * at the same time evict each other's promotions and nobody gets anywhere. A store that needs the room may take them.
 */
export class ReadHolds {
  readonly #pool: Pool;
  readonly #holds = new Map<OffloadKey, Hold>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  get size(): number {
    return this.#holds.size;
  }

  /** Keeps a readable block until each of `waiters`, at least one, has read it or is gone. The set is kept. */
  hold(key: OffloadKey, waiters: Set<RequestState>): void {
    this.#pool.pin([key]);
    this.#holds.set(key, { key, waiters });
    for (const state of waiters) state.held.add(key);
  }

  /** `state` has read the block, or no longer waits for it. */
  drop(key: OffloadKey, state: RequestState): void {
    if (!state.held.delete(key)) return;
    const hold = this.#holds.get(key);
    if (hold === undefined) return;
    hold.waiters.delete(state);
    if (hold.waiters.size === 0) this.#release(hold);
  }

  dropAll(state: RequestState): void {
    for (const key of state.held) this.drop(key, state);
  }

  /**
   * Lets go of `count` blocks that nobody else has pinned, none of `spared`: those of the newest waiting request first,
   * and of each request the tail of the prefix first. All or none.
   *
   * @returns who loses which block; `null` when there are fewer than `count`.
   */
  yield(count: number, spared: ReadonlySet<OffloadKey>): readonly { key: OffloadKey; losers: RequestState[] }[] | null {
    const candidates = [...this.#holds.values()].filter(
      ({ key }) => !spared.has(key) && this.#pool.tier.refCount(key) === 1,
    );
    if (candidates.length < count) return null;
    // Later holds of one request are further along its prefix, and the sort is stable.
    const chosen = candidates
      .reverse()
      .sort((a, b) => oldestWaiter(b) - oldestWaiter(a))
      .slice(0, count);
    return chosen.map((hold) => {
      const losers = [...hold.waiters];
      for (const state of losers) state.held.delete(hold.key);
      this.#release(hold);
      return { key: hold.key, losers };
    });
  }

  #release(hold: Hold): void {
    this.#holds.delete(hold.key);
    this.#pool.unpin([hold.key]);
  }
}

/** A block is worth as much as the oldest request that waits for it. */
const oldestWaiter = ({ waiters }: Hold): number => Math.min(...[...waiters].map(({ ordinal }) => ordinal));
