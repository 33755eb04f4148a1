import { KvTierError } from "../errors/kv-tier-error.js";

declare const brand: unique symbol;

/**
 * Name of one KV block: the lower-case hex of its chained hash, then the group index as 8 hex digits (32 bits,
 * big-endian). Made by {@link makeOffloadKey} only, so that equal blocks always have equal keys.
 */
export type OffloadKey = string & { readonly [brand]: "OffloadKey" };

const GROUP_DIGITS = 8;
const GROUP_BYTES = 4;
const MAX_GROUP = 0xffffffff;
const HEX = /^(?:[0-9a-f]{2})+$/i;

/** By character code, 1 for each digit of a key. Every key of every call is checked: this takes half as long as a pattern. */
const IS_DIGIT = Uint8Array.from({ length: 128 }, (_, code) => (/[0-9a-f]/.test(String.fromCharCode(code)) ? 1 : 0));

/** The bytes of the key that is being made: of its hash, then of its group. Hashes are nearly always of one length. */
let scratch = Buffer.alloc(0);

/**
 * The key of the block with `hash` (bytes, or hex in any letter case) in KV-cache group `groupIdx`.
 *
 * @throws KvTierError `INVALID_STATE` when the hash is empty or not hex, or the group is not an unsigned 32-bit integer.
 */
export function makeOffloadKey(hash: Uint8Array | string, groupIdx = 0): OffloadKey {
  const isView = ArrayBuffer.isView(hash);
  if (isView ? hash.byteLength === 0 : typeof hash !== "string" || !HEX.test(hash)) throw noHash(isView ? "" : hash);
  if (!Number.isInteger(groupIdx) || groupIdx < 0 || groupIdx > MAX_GROUP) {
    throw new KvTierError(
      "INVALID_STATE",
      `A group index must be an integer from 0 to 4294967295; got ${String(groupIdx)}.`,
    );
  }
  return (isView ? fromBytes(hash, groupIdx) : fromHex(hash, groupIdx)) as OffloadKey;
}

/** Whether `value` has the form that {@link makeOffloadKey} makes: safe as part of a file or object name. */
export function isOffloadKey(value: unknown): value is OffloadKey {
  if (typeof value !== "string" || value.length % 2 !== 0 || value.length <= GROUP_DIGITS) return false;
  for (let i = 0; i < value.length; i++) if (IS_DIGIT[value.charCodeAt(i)] !== 1) return false;
  return true;
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

function fromBytes({ buffer, byteOffset, byteLength }: Uint8Array, groupIdx: number): string {
  if (scratch.length !== byteLength + GROUP_BYTES) scratch = Buffer.alloc(byteLength + GROUP_BYTES);
  scratch.set(new Uint8Array(buffer, byteOffset, byteLength));
  scratch.writeUInt32BE(groupIdx, byteLength);
  return scratch.toString("hex");
}

/** The engine keeps a concatenation as a pair of strings; in one piece a key hashes faster and takes less memory. */
function fromHex(hex: string, groupIdx: number): string {
  const digits = hex.toLowerCase() + groupIdx.toString(16).padStart(GROUP_DIGITS, "0");
  return Buffer.from(digits, "latin1").toString("latin1");
}

function noHash(hash: unknown): KvTierError {
  return new KvTierError(
    "INVALID_STATE",
    `A block hash must be bytes or whole hex bytes, at least one; got ${shown(hash)}.`,
  );
}

function shown(value: unknown): string {
  if (typeof value !== "string") return `a value of type ${typeof value}`;
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 77)}...` : value);
}
