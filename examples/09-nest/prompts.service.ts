import { Injectable } from "@nestjs/common";
import { hashBlocks, makeOffloadKey, type KvCache } from "kvtier";
import { InjectKvCache } from "kvtier/nest";

const TOKENS_PER_BLOCK = 16;

export interface Answer {
  readonly promptTokens: number;
  /** Tokens at the beginning of the prompt that were not computed again. */
  readonly cachedTokens: number;
}

@Injectable()
export class PromptsService {
  readonly #cache: KvCache;

  constructor(@InjectKvCache() cache: KvCache) {
    this.#cache = cache;
  }

  async complete(tokens: readonly number[]): Promise<Answer> {
    const keys = hashBlocks(tokens, TOKENS_PER_BLOCK).map((hash) => makeOffloadKey(hash));

    // At the deadline it goes on with what is there by then. Computing everything again would take longer.
    const lease = await this.#cache.acquire(keys, { deadlineS: 5 });
    const cachedTokens = lease.hits * TOKENS_PER_BLOCK;
    // An engine takes over the state in lease.blocks here, and computes only what comes after it.
    lease.release();

    const ticket = this.#cache.reserve(keys);
    if (ticket !== null) {
      // And here it writes the state of the blocks that are new. This one only pretends to.
      for (const [key, slot] of ticket.entries()) slot.fill(keys.indexOf(key));
      ticket.commit();
    }
    return { promptTokens: tokens.length, cachedTokens };
  }
}
