import type { OffloadKey } from "../contracts/offload-key.js";
import type { BlockIndex } from "./block-index.js";
import type { EvictionPolicy } from "./eviction-policy.js";
import { createNodeLinks, NodeList } from "./node-list.js";
import { SlotState, type SlotStates } from "./slot-states.js";

/**
 * Evicts the idle block whose last use is longest ago. Pinned blocks keep their place in the order: being copied into a
 * tier is no use of a block, and must not make it look newer than the head of its own prefix.
 */
export class LruPolicy implements EvictionPolicy {
  readonly #index: BlockIndex;
  readonly #states: SlotStates;
  readonly #ready: NodeList;

  constructor(index: BlockIndex, states: SlotStates) {
    this.#index = index;
    this.#states = states;
    this.#ready = new NodeList(createNodeLinks(states.capacity));
  }

  insert(key: OffloadKey, slot: number): void {
    this.#index.put(key, slot);
  }

  becameReady(slot: number): void {
    this.#ready.add(slot);
  }

  wasRead(slot: number): void {
    this.#ready.renew(slot);
  }

  touch(slot: number): void {
    if (this.#states.of(slot) !== SlotState.Writing) this.#ready.renew(slot);
  }

  chooseVictims(count: number): number[] {
    const victims: number[] = [];
    for (let slot = this.#ready.oldest; victims.length < count; slot = this.#ready.newerThan(slot)) {
      if (this.#states.of(slot) === SlotState.Idle) victims.push(slot);
    }
    return victims;
  }

  evict(slot: number): void {
    this.#ready.remove(slot);
    this.#index.drop(slot);
  }

  remove(slot: number): void {
    this.#index.drop(slot);
  }

  reset(): void {
    this.#ready.clear();
  }
}
