import type { OffloadKey } from "../contracts/offload-key.js";
import type { BlockIndex } from "./block-index.js";
import type { EvictionPolicy } from "./eviction-policy.js";
import { SlotState, type SlotStates } from "./slot-states.js";

/** Frees slots for new blocks: all that are needed or none. */
export class Evictor {
  readonly #index: BlockIndex;
  readonly #states: SlotStates;
  readonly #policy: EvictionPolicy;
  #evictions = 0;

  constructor(index: BlockIndex, states: SlotStates, policy: EvictionPolicy) {
    this.#index = index;
    this.#states = states;
    this.#policy = policy;
  }

  /** Blocks evicted so far. */
  get evictions(): number {
    return this.#evictions;
  }

  /**
   * Evicts until every key of `keys` that is not in the pool can have a slot, sparing those that are.
   *
   * @returns the evicted keys, in order; `null`, with nothing changed, when too few blocks can be evicted
   */
  makeRoomFor(keys: readonly OffloadKey[]): OffloadKey[] | null {
    const absent = new Set<OffloadKey>();
    const spared: number[] = [];
    for (const key of keys) {
      const slot = this.#index.slotOf(key);
      if (slot === undefined) {
        absent.add(key);
      } else if (this.#states.of(slot) === SlotState.Idle) {
        this.#states.protect(slot);
        spared.push(slot);
      }
    }
    const count = Math.max(0, absent.size - this.#states.free);
    const isEnough = count <= this.#states.idle - spared.length;
    const victims = isEnough ? this.#policy.chooseVictims(count) : null;
    for (const slot of spared) this.#states.unprotect(slot);
    return victims === null ? null : victims.map((slot) => this.#evict(slot));
  }

  /** Evicts one block, the next in order; returns its key, `undefined` when none can be evicted. */
  evictOldest(): OffloadKey | undefined {
    const [slot] = this.#states.idle > 0 ? this.#policy.chooseVictims(1) : [];
    return slot === undefined ? undefined : this.#evict(slot);
  }

  #evict(slot: number): OffloadKey {
    const key = this.#index.keyAt(slot);
    this.#policy.evict(slot);
    this.#states.release(slot);
    this.#evictions++;
    return key;
  }
}
