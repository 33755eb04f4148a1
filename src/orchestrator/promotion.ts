import type { OffloadKey } from "../contracts/offload-key.js";
import { FewSet } from "../tiers/shared/few-set.js";
import type { PromotionBatch } from "./promotion-batch.js";
import type { RequestState } from "./request-state.js";

/** A block on its way from a tier into its slot, and then until those who asked for it have read it. */
export class Promotion {
  readonly key: OffloadKey;
  readonly slot: number;
  batch: PromotionBatch;
  /** Live requests that wait for the block, or that have yet to read it; the first to ask first. */
  readonly waiters = new FewSet<RequestState>();
  /** Whether the block has arrived and is pinned for `waiters`. */
  isHeld = false;

  constructor(key: OffloadKey, slot: number, batch: PromotionBatch) {
    this.key = key;
    this.slot = slot;
    this.batch = batch;
  }
}
