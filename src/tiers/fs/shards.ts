import { offloadKeyHashHex, type OffloadKey } from "../../contracts/offload-key.js";

/** Hex digits that are divided at a time: with the rest of the division before them they stay below 2^53. */
const DIGITS = 8;

/**
 * The shard of a block: its hash, as a big-endian integer, modulo the number of shards. Another number or order of roots
 * is another place for most blocks, which are then not found.
 */
export function shardOf(key: OffloadKey, shards: number): number {
  if (shards === 1) return 0;
  const hash = offloadKeyHashHex(key);
  let rest = 0;
  for (let at = 0; at < hash.length; at += DIGITS) {
    const digits = hash.slice(at, at + DIGITS);
    rest = (rest * 16 ** digits.length + Number.parseInt(digits, 16)) % shards;
  }
  return rest;
}
