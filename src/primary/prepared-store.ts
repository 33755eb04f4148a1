import type { OffloadKey } from "../contracts/offload-key.js";

/** What a store gets: `blockIds[i]` is the slot of `keysToStore[i]`, an ordered subset of the keys asked for. */
export interface PreparedStore {
  readonly keysToStore: OffloadKey[];
  readonly blockIds: Int32Array;
  readonly evictedKeys: OffloadKey[];
}
