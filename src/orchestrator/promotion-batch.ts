import type { OffloadKey } from "../contracts/offload-key.js";
import type { RequestState } from "./request-state.js";
import type { TierHandle } from "./tier-handle.js";

/** Promotions from one tier that one request asked for in this step: one load job when the step ends. */
export class PromotionBatch {
  readonly tier: TierHandle;
  readonly state: RequestState;
  readonly #slots = new Map<OffloadKey, number>();

  constructor(tier: TierHandle, state: RequestState) {
    this.tier = tier;
    this.state = state;
  }

  add(key: OffloadKey, slot: number): void {
    this.#slots.set(key, slot);
  }

  /** Keys and their slots, in the order they were added. */
  entries(): IterableIterator<[key: OffloadKey, slot: number]> {
    return this.#slots.entries();
  }

  get keys(): OffloadKey[] {
    return [...this.#slots.keys()];
  }

  get blockIds(): Int32Array {
    return Int32Array.from(this.#slots.values());
  }
}
