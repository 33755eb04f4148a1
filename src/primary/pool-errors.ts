import type { OffloadKey } from "../contracts/offload-key.js";
import { KvTierError } from "../errors/kv-tier-error.js";

export function cannotLoad(key: OffloadKey, isWriting: boolean): KvTierError {
  const why = isWriting ? "is still being written" : "is not in the primary pool";
  return new KvTierError(
    "INVALID_STATE",
    `Block ${key} cannot be loaded: it ${why}. Load only blocks that lookup called a hit in the same tick.`,
  );
}

export function cannotRelease(key: OffloadKey): KvTierError {
  return new KvTierError(
    "INVALID_STATE",
    `Block ${key} cannot be released: it is not pinned. Release each loaded block exactly once.`,
  );
}

export function cannotReclaim(slots: Int32Array): KvTierError {
  return new KvTierError(
    "INVALID_STATE",
    `Slots ${slots.join(", ")} cannot be reclaimed: not all of them are held back. Reclaim each slot exactly once.`,
  );
}
