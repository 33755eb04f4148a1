import type { OffloadKey } from "../contracts/offload-key.js";
import type { BlockIndex } from "./block-index.js";
import type { EvictionPolicy } from "./eviction-policy.js";
import { createNodeLinks, NodeList } from "./node-list.js";
import { SlotState, type SlotStates } from "./slot-states.js";

/** Evicts the block that has been idle and untouched for longest. The list holds only idle blocks, so none is in its way. */
export class LruPolicy implements EvictionPolicy {
  readonly #index: BlockIndex;
  readonly #states: SlotStates;
  readonly #idle: NodeList;

  constructor(index: BlockIndex, states: SlotStates) {
    this.#index = index;
    this.#states = states;
    this.#idle = new NodeList(createNodeLinks(states.capacity));
  }

  insert(key: OffloadKey, slot: number): void {
    this.#index.put(key, slot);
  }

  becameIdle(slot: number): void {
    this.#idle.add(slot);
  }

  becamePinned(slot: number): void {
    this.#idle.remove(slot);
  }

  touch(slot: number): void {
    if (this.#states.of(slot) === SlotState.Idle) this.#idle.renew(slot);
  }

  chooseVictims(count: number): Int32Array {
    const victims = new Int32Array(count);
    let slot = this.#idle.oldest;
    for (let chosen = 0; chosen < count; slot = this.#idle.newerThan(slot)) {
      if (this.#states.of(slot) === SlotState.Idle) victims[chosen++] = slot;
    }
    return victims;
  }

  evict(slot: number): void {
    this.#idle.remove(slot);
    this.#index.drop(slot);
  }

  remove(slot: number): void {
    this.#index.drop(slot);
  }

  reset(): void {
    this.#idle.clear();
  }
}
