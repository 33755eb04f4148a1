import { KvTierError } from "../errors/kv-tier-error.js";

/**
 * `values[index]`, which must exist.
 *
 * @throws KvTierError `INVALID_STATE` when it does not.
 */
export function at(values: Int32Array | Uint8Array, index: number): number {
  return values[index] ?? outOfRange(values.length, index);
}

function outOfRange(length: number, index: number): never {
  throw new KvTierError("INVALID_STATE", `No element ${index} in bookkeeping for ${length}.`);
}
