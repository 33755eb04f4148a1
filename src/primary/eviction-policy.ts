import type { OffloadKey } from "../contracts/offload-key.js";

/**
 * Decides which idle block leaves the pool. It keeps its order by slot number and puts keys into the index and takes them
 * out, because what happens to the key of an evicted block is its business: forgotten, or remembered as a ghost.
 * Which slots are idle it reads from the slot states; the calls below say when that has changed.
 */
export interface EvictionPolicy {
  /** `key` gets a slot of its own; its block is now being written. */
  insert(key: OffloadKey, slot: number): void;
  /** The block's store succeeded. */
  becameReady(slot: number): void;
  /** The last reader of the block is done with it. */
  wasRead(slot: number): void;
  /** A use of the key at `node`, resident or remembered. */
  touch(node: number): void;
  /** The `count` idle, unprotected slots to evict next, in order; there are as many. Changes nothing. */
  chooseVictims(count: number): number[];
  /** The block is evicted; its key leaves the slot. */
  evict(slot: number): void;
  /** A block whose store failed is gone as if it had never been; its key leaves the slot. */
  remove(slot: number): void;
  /** Everything is forgotten; the index is cleared by the caller. */
  reset(): void;
}
