import type { OffloadKey } from "../contracts/offload-key.js";

/** `keys` less those of `taken`, in order. */
export function without(keys: readonly OffloadKey[], taken: readonly OffloadKey[]): readonly OffloadKey[] {
  if (taken.length === 0) return keys;
  const gone = new Set(taken);
  return keys.filter((key) => !gone.has(key));
}
