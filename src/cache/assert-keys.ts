import { isOffloadKey, type OffloadKey } from "../contracts/offload-key.js";
import { KvTierError } from "../errors/kv-tier-error.js";

const SHOWN_LENGTH = 80;

/**
 * Keys come from the caller, perhaps from plain JavaScript. One that `makeOffloadKey` did not make would be taken here
 * and fail in a tier, in the background, where nobody learns of it.
 *
 * @throws KvTierError `INVALID_STATE` naming the first that is malformed.
 */
export function assertKeys(keys: readonly OffloadKey[]): void {
  const wrong = keys.findIndex((key) => !isOffloadKey(key));
  if (wrong === -1) return;
  throw new KvTierError("INVALID_STATE", `Key ${wrong} is ${shown(keys[wrong])}, not a key of makeOffloadKey(hash).`);
}

function shown(key: unknown): string {
  if (typeof key !== "string") return key === null ? "null" : `a value of type ${typeof key}`;
  return JSON.stringify(key.length > SHOWN_LENGTH ? `${key.slice(0, SHOWN_LENGTH - 3)}...` : key);
}
