import { KvTierError } from "../errors/kv-tier-error.js";

declare const brand: unique symbol;

/**
 * Name of one KV block: the lower-case hex of its chained hash, then the group index as 8 hex digits (32 bits,
 * big-endian). Made by {@link makeOffloadKey} only, so that equal blocks always have equal keys.
 */
export type OffloadKey = string & { readonly [brand]: "OffloadKey" };

const GROUP_DIGITS = 8;
const HEX = /^(?:[0-9a-f]{2})+$/i;
const KEY = /^(?:[0-9a-f]{2})+[0-9a-f]{8}$/;

/**
 * The key of the block with `hash` (bytes, or hex in any letter case) in KV-cache group `groupIdx`.
 *
 * @throws KvTierError `INVALID_STATE` when the hash is empty or not hex, or the group is not an unsigned 32-bit integer.
 */
export function makeOffloadKey(hash: Uint8Array | string, groupIdx = 0): OffloadKey {
  const hex = ArrayBuffer.isView(hash)
    ? Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString("hex")
    : hash;
  if (typeof hex !== "string" || !HEX.test(hex)) {
    throw new KvTierError(
      "INVALID_STATE",
      `A block hash must be bytes or whole hex bytes, at least one; got ${shown(hex)}.`,
    );
  }
  if (!Number.isInteger(groupIdx) || groupIdx < 0 || groupIdx > 0xffffffff) {
    throw new KvTierError(
      "INVALID_STATE",
      `A group index must be an integer from 0 to 4294967295; got ${String(groupIdx)}.`,
    );
  }
  return flat(hex.toLowerCase() + groupIdx.toString(16).padStart(GROUP_DIGITS, "0")) as OffloadKey;
}

/** Whether `value` has the form that {@link makeOffloadKey} makes: safe as part of a file or object name. */
export function isOffloadKey(value: unknown): value is OffloadKey {
  return typeof value === "string" && KEY.test(value);
}

/** The block hash of `key`, as bytes. */
export function offloadKeyHash(key: OffloadKey): Uint8Array {
  return new Uint8Array(Buffer.from(offloadKeyHashHex(key), "hex"));
}

/** The block hash of `key`, as lower-case hex. */
export function offloadKeyHashHex(key: OffloadKey): string {
  return key.slice(0, -GROUP_DIGITS);
}

/** The group index of `key`. */
export function offloadKeyGroup(key: OffloadKey): number {
  return Number.parseInt(key.slice(-GROUP_DIGITS), 16);
}

/** The engine keeps a concatenation as a pair of strings; in one piece a key hashes faster and takes less memory. */
function flat(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}

function shown(value: unknown): string {
  if (typeof value !== "string") return `a value of type ${typeof value}`;
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 77)}...` : value);
}
