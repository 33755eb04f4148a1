import type { OffloadKey } from "../../contracts/offload-key.js";

/** One block on its way between a slot of the primary pool and the tier. */
export interface BlockTransfer {
  readonly key: OffloadKey;
  readonly blockId: number;
  /** The bytes of the slot, a view: read it for a store, fill it whole for a load, and leave it alone afterwards. */
  readonly block: Uint8Array;
}

/** Bytes moved (0: the block was stored already), or why this block failed. */
export type TransferOutcome = number | Error;

/** The tier author's calls that move blocks: outcome `i` belongs to transfer `i`. What they really do is not trusted. */
export interface TransferIo {
  read(batch: readonly BlockTransfer[], signal: AbortSignal): Promise<readonly TransferOutcome[]>;
  write(batch: readonly BlockTransfer[], signal: AbortSignal): Promise<readonly TransferOutcome[]>;
}
