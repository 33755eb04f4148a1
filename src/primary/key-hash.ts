/** Digits of the block hash that tell most keys apart: 32 bits of a digest. */
const SAMPLED_DIGITS = 8;
/** Hex digits of the group index at the end of a key; the block hash comes before them. */
const GROUP_DIGITS = 8;
const MULTIPLIER = 0x01000193;

/**
 * A 32-bit hash of a key from its last digits: those of the block hash and the last one of the group index. A block hash
 * is a digest as a rule, so any of its digits are as good as all, and reading all would take longer than the rest of a
 * look-up. Keys of another making may differ elsewhere only: for those there is {@link wholeKeyHash}.
 */
export function sampledKeyHash(key: string): number {
  const end = key.length - GROUP_DIGITS;
  let hash = key.charCodeAt(key.length - 1);
  for (let i = Math.max(0, end - SAMPLED_DIGITS); i < end; i++) {
    hash = Math.imul(hash, MULTIPLIER) + key.charCodeAt(i);
  }
  return mixed(hash);
}

/** A 32-bit hash of a key from all its digits. */
export function wholeKeyHash(key: string): number {
  let hash = 0;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash, MULTIPLIER) + key.charCodeAt(i);
  return mixed(hash);
}

/** Spreads what differs in some bits over all of them: the finalizer of MurmurHash3. */
function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
