import type { OffloadKey } from "../../contracts/offload-key.js";
import type { BlockTransfer } from "./block-transfer.js";

/** A transfer whose view of the slot is made when it is first asked for: threads reach the memory by `blockId`. */
export class SlotTransfer implements BlockTransfer {
  readonly key: OffloadKey;
  readonly blockId: number;
  readonly #viewOf: (blockId: number) => Uint8Array;
  #block: Uint8Array | null = null;

  constructor(key: OffloadKey, blockId: number, viewOf: (blockId: number) => Uint8Array) {
    this.key = key;
    this.blockId = blockId;
    this.#viewOf = viewOf;
  }

  /** @throws KvTierError `INVALID_STATE` when there is no such slot. */
  get block(): Uint8Array {
    this.#block ??= this.#viewOf(this.blockId);
    return this.#block;
  }
}
