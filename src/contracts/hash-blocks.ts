import { createHash } from "node:crypto";
import { KvTierError } from "../errors/kv-tier-error.js";

/**
 * Chained SHA-256 hashes of the full blocks of a prompt: `hash[i] = SHA-256(hash[i - 1] ‖ tokens of block i)`, where
 * `hash[-1] = SHA-256(seed)` and each token is 8 bytes, little-endian. Two prompts share a hash only if they share
 * every token up to the end of that block, and the seed. A partial last block has no hash.
 *
 * @param tokens token ids, integers that are safe in a double
 * @param blockSize tokens per block, a positive integer
 * @param seed what else must be equal for blocks to be equal, such as a LoRA name or a tenant; UTF-8 when a string
 * @throws KvTierError `INVALID_STATE` when the block size or a token is not such an integer.
 */
export function hashBlocks(tokens: ArrayLike<number>, blockSize: number, seed: Uint8Array | string = ""): Uint8Array[] {
  if (!Number.isSafeInteger(blockSize) || blockSize <= 0) {
    throw new KvTierError(
      "INVALID_STATE",
      `The block size must be a positive integer of tokens; got ${String(blockSize)}.`,
    );
  }
  const hashes: Uint8Array[] = [];
  const blockTokens = new BigInt64Array(blockSize);
  const bytes = new DataView(blockTokens.buffer);
  let previous = createHash("sha256").update(seed).digest();
  for (let start = 0; start + blockSize <= tokens.length; start += blockSize) {
    for (let i = 0; i < blockSize; i++) bytes.setBigInt64(i * 8, tokenAt(tokens, start + i), true);
    previous = createHash("sha256").update(previous).update(blockTokens).digest();
    hashes.push(new Uint8Array(previous));
  }
  return hashes;
}

function tokenAt(tokens: ArrayLike<number>, position: number): bigint {
  const token = tokens[position];
  if (token === undefined || !Number.isSafeInteger(token)) {
    throw new KvTierError("INVALID_STATE", `Token ${position} must be an integer; got ${String(token)}.`);
  }
  return BigInt(token);
}
