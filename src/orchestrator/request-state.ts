import type { OffloadKey } from "../contracts/offload-key.js";
import type { RequestContext } from "../contracts/request-context.js";
import { KeyRecord } from "./key-record.js";
import type { PromotionBatch } from "./promotion-batch.js";
import type { TierHandle } from "./tier-handle.js";

/** A live request: what it asked for, what moves on its behalf, and what must still happen before tiers may forget it. */
export class RequestState {
  readonly ctx: RequestContext;
  /** Order of arrival, from 1; also names the request as owner of the slots it writes. */
  readonly ordinal: number;
  /** The tiers that want the whole request, not only its new blocks; `null`: none. */
  readonly requestLevelTiers: readonly TierHandle[] | null;
  /** No more calls are expected from the engine. */
  finished = false;
  /** Blocks handed out by `prepareStore` and not completed yet. */
  outstandingBlocks = 0;
  /** Whether the last store was refused. */
  storeRefused = false;
  /** Blocks in flight that are to be offered to `requestLevelTiers` once they are readable. */
  readonly parked = new Set<OffloadKey>();
  /** Promotions that wait for the end of the step, by tier. */
  readonly batches = new Map<TierHandle, PromotionBatch>();
  /** Blocks whose promotion this request waits for; its records name them. */
  awaitedBlocks = 0;
  /** Promoted blocks that are kept for this request until it reads them; its records name them. */
  heldBlocks = 0;
  /** Blocks that some tier failed to deliver to this request. */
  readonly failedKeys = new Set<OffloadKey>();
  readonly #records = new Map<OffloadKey, KeyRecord>();

  constructor(ctx: RequestContext, ordinal: number, requestLevelTiers: readonly TierHandle[] | null) {
    this.ctx = ctx;
    this.ordinal = ordinal;
    this.requestLevelTiers = requestLevelTiers;
  }

  recordOf(key: OffloadKey): KeyRecord {
    let record = this.#records.get(key);
    if (record === undefined) {
      record = new KeyRecord();
      this.#records.set(key, record);
    }
    return record;
  }

  findRecord(key: OffloadKey): KeyRecord | undefined {
    return this.#records.get(key);
  }

  records(): IterableIterator<KeyRecord> {
    return this.#records.values();
  }

  /** Forgets what was looked up: a call after the finish begins anew. */
  forgetKeys(): void {
    this.#records.clear();
    this.failedKeys.clear();
  }

  /** Whether tiers have seen the last submit on behalf of this request. */
  get isSettled(): boolean {
    return this.finished && this.outstandingBlocks === 0 && this.parked.size === 0 && this.batches.size === 0;
  }
}
