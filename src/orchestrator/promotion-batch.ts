import type { Promotion } from "./promotion.js";
import type { RequestState } from "./request-state.js";
import type { TierHandle } from "./tier-handle.js";

/** Promotions from one tier that one request asked for in one step: one load job when the step ends. */
export class PromotionBatch {
  /** From 1, one for each batch. */
  readonly number: number;
  readonly tier: TierHandle;
  readonly state: RequestState;
  readonly promotions: Promotion[] = [];
  /** How many of its blocks are held for those who asked. */
  held = 0;
  /** Made when it is first asked for; most batches are of no interest to anybody else. */
  #bySlot: Map<number, Promotion> | null = null;

  constructor(number: number, tier: TierHandle, state: RequestState) {
    this.number = number;
    this.tier = tier;
    this.state = state;
  }

  add(promotion: Promotion): void {
    promotion.batch = this;
    this.promotions.push(promotion);
    this.#bySlot?.set(promotion.slot, promotion);
  }

  /** The promotion into `slot`. */
  find(slot: number): Promotion | undefined {
    this.#bySlot ??= new Map(this.promotions.map((promotion) => [promotion.slot, promotion]));
    return this.#bySlot.get(slot);
  }
}
