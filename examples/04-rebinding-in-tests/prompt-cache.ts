import { hashBlocks, makeOffloadKey, type KvCache } from "kvtier";

const TOKENS_PER_BLOCK = 16;

/** The part of a serving app that one would test: how many tokens of a prompt need not be computed again. */
export async function cachedTokens(cache: KvCache, prompt: readonly number[]): Promise<number> {
  const lease = await cache.acquire(hashBlocks(prompt, TOKENS_PER_BLOCK).map((hash) => makeOffloadKey(hash)));
  lease.release();
  return lease.hits * TOKENS_PER_BLOCK;
}
