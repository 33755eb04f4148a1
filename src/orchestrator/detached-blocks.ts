import type { OffloadKey } from "../contracts/offload-key.js";
import type { BlockInUse } from "../primary/block-in-use.js";

interface Detached {
  readonly key: OffloadKey;
  readonly slot: number;
  /** Pins that are still out; -1: it was being written. */
  pins: number;
}

/** Blocks that were in use when the pool was reset: forgotten, while their slots wait for the last user. */
export class DetachedBlocks {
  readonly #byKey = new Map<OffloadKey, Detached>();
  readonly #bySlot = new Map<number, Detached>();

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  add({ key, slot, pins }: BlockInUse): void {
    const detached = { key, slot, pins };
    this.#byKey.set(key, detached);
    this.#bySlot.set(slot, detached);
  }

  has(key: OffloadKey): boolean {
    return this.#byKey.has(key);
  }

  slotOf(key: OffloadKey): number | undefined {
    return this.#byKey.get(key)?.slot;
  }

  /** The slot of a block that was being written, and still is. */
  writingSlotOf(key: OffloadKey): number | undefined {
    const detached = this.#byKey.get(key);
    return detached?.pins === -1 ? detached.slot : undefined;
  }

  /** Takes a pin off the block in `slot`; "none": it has none to take, "last": nobody uses the slot any more. */
  unpin(slot: number): "none" | "taken" | "last" {
    const detached = this.#bySlot.get(slot);
    if (detached === undefined || detached.pins < 1) return "none";
    if (--detached.pins > 0) return "taken";
    this.#remove(detached);
    return "last";
  }

  /** Ends the writing of a block; returns its slot, `undefined` when it was not being written. */
  endWrite(key: OffloadKey): number | undefined {
    const detached = this.#byKey.get(key);
    if (detached?.pins !== -1) return undefined;
    this.#remove(detached);
    return detached.slot;
  }

  #remove({ key, slot }: Detached): void {
    this.#byKey.delete(key);
    this.#bySlot.delete(slot);
  }
}
