import type { OffloadKey } from "../contracts/offload-key.js";
import { at } from "./at.js";
import type { BlockIndex } from "./block-index.js";
import type { EvictionPolicy } from "./eviction-policy.js";
import { GhostNodes } from "./ghost-nodes.js";
import { createNodeLinks, NodeList, NONE } from "./node-list.js";
import { SlotState, type SlotStates } from "./slot-states.js";

const T1 = 0;
const T2 = 1;
const B1 = 2;
const B2 = 3;

/**
 * Adaptive replacement. T1 holds blocks that were used once, T2 those that were used again; B1 and B2 remember the keys
 * that were evicted from each, as many as the pool has slots. A use of a remembered key shows which of T1 and T2 is too
 * small, and moves the target size of T1. Follows upstream (vLLM) in when it adapts, and in evicting from T1 at, not
 * only above, the target.
 */
export class ArcPolicy implements EvictionPolicy {
  readonly #index: BlockIndex;
  readonly #states: SlotStates;
  readonly #ghosts: GhostNodes;
  /** Which list each node is in. */
  readonly #list: Uint8Array;
  readonly #t1: NodeList;
  readonly #t2: NodeList;
  readonly #b1: NodeList;
  readonly #b2: NodeList;
  #targetT1 = 0;

  constructor(index: BlockIndex, states: SlotStates) {
    this.#index = index;
    this.#states = states;
    const links = createNodeLinks(ArcPolicy.nodesFor(states.capacity));
    this.#ghosts = new GhostNodes(states.capacity, links);
    this.#list = new Uint8Array(ArcPolicy.nodesFor(states.capacity));
    this.#t1 = new NodeList(links);
    this.#t2 = new NodeList(links);
    this.#b1 = new NodeList(links);
    this.#b2 = new NodeList(links);
  }

  /** A node for each slot, and for each key that the two ghost lists may remember. */
  static nodesFor(capacity: number): number {
    return 3 * capacity;
  }

  insert(key: OffloadKey, slot: number): void {
    const ghost = this.#index.nodeOf(key);
    if (ghost === undefined) {
      this.#index.put(key, slot);
    } else {
      this.#index.move(ghost, slot);
      this.#listOf(ghost).remove(ghost);
      this.#ghosts.release(ghost);
    }
    this.#addTo(T1, this.#t1, slot);
  }

  // A block has its place from the start, and only a touch moves it.
  becameReady(): void {}
  wasRead(): void {}

  touch(node: number): void {
    switch (at(this.#list, node)) {
      case T1:
        return this.#touchRecent(node);
      case T2:
        return this.#t2.renew(node);
      case B1:
        this.#targetT1 = Math.min(this.#states.capacity, this.#targetT1 + Math.max(1, this.#b2.size / this.#b1.size));
        return this.#b1.renew(node);
      default:
        this.#targetT1 = Math.max(0, this.#targetT1 - Math.max(1, this.#b1.size / this.#b2.size));
        return this.#b2.renew(node);
    }
  }

  chooseVictims(count: number): number[] {
    const victims: number[] = [];
    const target = Math.floor(this.#targetT1);
    let sizeT1 = this.#t1.size;
    let fromT1 = this.#firstIdle(this.#t1, this.#t1.oldest);
    let fromT2 = this.#firstIdle(this.#t2, this.#t2.oldest);
    while (victims.length < count) {
      if (fromT2 === NONE || (fromT1 !== NONE && sizeT1 >= target)) {
        victims.push(fromT1);
        fromT1 = this.#firstIdle(this.#t1, this.#t1.newerThan(fromT1));
        sizeT1 -= 1;
      } else {
        victims.push(fromT2);
        fromT2 = this.#firstIdle(this.#t2, this.#t2.newerThan(fromT2));
      }
    }
    return victims;
  }

  evict(slot: number): void {
    const wasRecent = at(this.#list, slot) === T1;
    const ghosts = wasRecent ? this.#b1 : this.#b2;
    this.#listOf(slot).remove(slot);
    if (ghosts.size === this.#states.capacity) this.#forgetOldest(ghosts);
    const ghost = this.#ghosts.take();
    this.#index.move(slot, ghost);
    this.#addTo(wasRecent ? B1 : B2, ghosts, ghost);
  }

  remove(slot: number): void {
    this.#listOf(slot).remove(slot);
    this.#index.drop(slot);
  }

  reset(): void {
    for (const list of [this.#t1, this.#t2, this.#b1, this.#b2]) list.clear();
    this.#ghosts.reset();
    this.#targetT1 = 0;
  }

  #touchRecent(slot: number): void {
    // A block that is still being written was not used again: it was only asked for.
    if (this.#states.of(slot) === SlotState.Writing) return this.#t1.renew(slot);
    this.#t1.remove(slot);
    this.#addTo(T2, this.#t2, slot);
  }

  #firstIdle(list: NodeList, from: number): number {
    let node = from;
    while (node !== NONE && this.#states.of(node) !== SlotState.Idle) node = list.newerThan(node);
    return node;
  }

  #forgetOldest(ghosts: NodeList): void {
    const ghost = ghosts.oldest;
    ghosts.remove(ghost);
    this.#index.drop(ghost);
    this.#ghosts.release(ghost);
  }

  #addTo(id: number, list: NodeList, node: number): void {
    this.#list[node] = id;
    list.add(node);
  }

  #listOf(node: number): NodeList {
    switch (at(this.#list, node)) {
      case T1:
        return this.#t1;
      case T2:
        return this.#t2;
      case B1:
        return this.#b1;
      default:
        return this.#b2;
    }
  }
}
