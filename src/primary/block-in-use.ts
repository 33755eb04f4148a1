import type { OffloadKey } from "../contracts/offload-key.js";

/** A block that somebody used when the pool was reset. */
export interface BlockInUse {
  readonly key: OffloadKey;
  readonly slot: number;
  /** Pins on it; -1: it was being written. */
  readonly pins: number;
}
