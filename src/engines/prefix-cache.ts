import type { KvCache } from "../cache/kv-cache.js";
import { hashBlocks } from "../contracts/hash-blocks.js";
import { safeLogger, silentLogger, type Logger } from "../contracts/logger.js";
import { makeOffloadKey, type OffloadKey } from "../contracts/offload-key.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { reasonOf } from "../errors/factory-errors.js";
import type { KvEngine, SplitState } from "./kv-engine.js";
import type { PrefixOptions, PrefixUsage, RestoredPrefix } from "./prefix-usage.js";

export interface PrefixCacheOptions<Sequence> {
  readonly cache: KvCache;
  readonly engine: KvEngine<Sequence>;
  /** What else must be equal for blocks to be equal: an adapter of the model, a tenant. Part of every key. Default: none. */
  readonly salt?: string;
  /** Told when a state could not be restored or stored, which costs time and nothing else. Default: nobody. */
  readonly logger?: Logger;
}

/**
 * Reuses the KV state of prompts that begin alike: restores the longest prefix that the cache has, lets the application
 * evaluate the rest, and stores the blocks that are new.
 *
 * Keys are chained hashes of the tokens (`hashBlocks`) whose seed is the engine's fingerprint and the salt. So engines
 * whose blocks differ never share one, whatever the config's `model` says; that keeps them apart on a disk as well.
 *
 * What goes wrong with a state costs a miss, never an answer: the sequence is emptied, and all is evaluated.
 */
export class PrefixCache<Sequence> {
  readonly #cache: KvCache;
  readonly #engine: KvEngine<Sequence>;
  readonly #seed: string;
  readonly #logger: Logger;

  /** @throws KvTierError `INVALID_STATE` when the cache's blocks are not of the engine's size */
  constructor({ cache, engine, salt = "", logger = silentLogger }: PrefixCacheOptions<Sequence>) {
    if (cache.blockBytes !== engine.blockBytes) {
      throw new KvTierError(
        "INVALID_STATE",
        `Blocks of this engine have ${engine.blockBytes} bytes (${engine.tokensPerBlock} tokens), and the cache is made ` +
          `for ${cache.blockBytes}. Set block_bytes to ${engine.blockBytes}.`,
      );
    }
    this.#cache = cache;
    this.#engine = engine;
    this.#seed = JSON.stringify([engine.fingerprint, salt]);
    this.#logger = safeLogger(logger);
  }

  /** The keys of the full blocks of `tokens`. */
  keysOf(tokens: readonly number[]): OffloadKey[] {
    return hashBlocks(tokens, this.#engine.tokensPerBlock, this.#seed).map((hash) => makeOffloadKey(hash));
  }

  /**
   * Restores, calls `evaluate` for the rest, and stores.
   *
   * @param sequence not in use by anybody else until the promise is settled; whatever it holds is replaced
   * @param tokens the prompt, at least one token
   * @param evaluate evaluates `tail` onto the sequence, in order, and may go on generating; returns the tokens that it
   *   generated onto the sequence, of which the last need not have been evaluated. What it throws is thrown on, and
   *   nothing is stored.
   * @returns what was reused, once the new blocks are in the pool; their way into the tiers goes on behind it
   * @throws KvTierError `INVALID_STATE` without a token, `CLOSED`; `signal.reason` when aborted before `evaluate` is called
   */
  async run<Token extends number>(
    sequence: Sequence,
    tokens: readonly Token[],
    evaluate: (prefix: RestoredPrefix<Token>) => Promise<readonly Token[]>,
    options: PrefixOptions = {},
  ): Promise<PrefixUsage> {
    // What the caller does with the array meanwhile must not part keys from blocks.
    const prompt = [...tokens];
    const prefix = await this.restore(sequence, prompt, options);
    const generated = await evaluate(prefix);
    await this.store(sequence, [...prompt, ...generated], options);
    return prefix.usage;
  }

  /**
   * Makes the longest prefix that the cache has the state of `sequence`. At least the last token is left to evaluate:
   * an engine predicts from a token that it takes in.
   *
   * Parameters and errors as for {@link run}.
   */
  async restore<Token extends number>(
    sequence: Sequence,
    tokens: readonly Token[],
    options: PrefixOptions = {},
  ): Promise<RestoredPrefix<Token>> {
    const prompt = [...tokens];
    if (prompt.length === 0) {
      throw new KvTierError(
        "INVALID_STATE",
        "A prompt needs at least one token: an engine predicts from the last one.",
      );
    }
    const lease = await this.#cache.acquire(this.keysOf(prompt.slice(0, -1)), options);
    let sources: readonly string[] = [];
    try {
      const restored = prompt.slice(0, lease.hits * this.#engine.tokensPerBlock);
      if (await this.#join(sequence, restored, lease.blocks)) sources = lease.sources;
    } finally {
      lease.release();
    }
    options.signal?.throwIfAborted();
    return this.#prefixOf(prompt, sources);
  }

  /**
   * Stores the blocks of `sequence` that the pool does not have.
   *
   * @param tokens all that was evaluated onto the sequence since it was empty, restored tokens included, in order; the
   *   last may not have been evaluated yet
   * @returns how many of the sequence's blocks are in the pool now; 0 also when the state cannot be used or the cache is
   *   closed, which is logged
   */
  async store(sequence: Sequence, tokens: readonly number[], options: PrefixOptions = {}): Promise<number> {
    try {
      const all = [...tokens];
      // Without the last token, which may not be part of the state.
      const keys = this.keysOf(all.slice(0, -1));
      return keys.length === 0 ? 0 : await this.#storeBlocks(sequence, all, keys, options);
    } catch (error) {
      this.#logger.warn("The blocks of a sequence were not stored", { reason: reasonOf(error) });
      return 0;
    }
  }

  /** Whether the sequence has the state of `blocks` now; if not it is empty. */
  async #join(sequence: Sequence, tokens: readonly number[], blocks: readonly Uint8Array[]): Promise<boolean> {
    if (blocks.length > 0) {
      try {
        await this.#engine.join(sequence, tokens, blocks);
        return true;
      } catch (error) {
        this.#logger.warn("A prefix was not restored, and is evaluated again", { reason: reasonOf(error) });
      }
    }
    await this.#engine.clear(sequence);
    return false;
  }

  async #storeBlocks(
    sequence: Sequence,
    tokens: readonly number[],
    keys: readonly OffloadKey[],
    options: PrefixOptions,
  ): Promise<number> {
    const ticket = this.#cache.reserve(keys, options);
    if (ticket === null) {
      // No room for all of them now: the cache finds out for how many there is, and when.
      const state = await this.#engine.split(sequence, tokens);
      const blocks = keys.map((_, index) => copyOf(state, index, this.#engine.blockBytes));
      return this.#cache.put(keys, blocks, options);
    }
    try {
      if (ticket.keys.length > 0) {
        const state = await this.#engine.split(sequence, tokens);
        const indexOf = new Map(keys.map((key, index) => [key, index]));
        for (const [key, slot] of ticket.entries()) state.copyBlock(indexOf.get(key) ?? -1, slot);
        ticket.commit();
      }
      return keys.length;
    } finally {
      ticket[Symbol.dispose]();
    }
  }

  /** @param sources of each block that was restored */
  #prefixOf<Token extends number>(prompt: readonly Token[], sources: readonly string[]): RestoredPrefix<Token> {
    const { tokensPerBlock } = this.#engine;
    const cachedTokensByTier: Record<string, number> = {};
    for (const tier of sources) cachedTokensByTier[tier] = (cachedTokensByTier[tier] ?? 0) + tokensPerBlock;
    const cachedTokens = sources.length * tokensPerBlock;
    return {
      tail: prompt.slice(cachedTokens),
      usage: { promptTokens: prompt.length, cachedTokens, cachedTokensByTier },
    };
  }
}

function copyOf(state: SplitState, index: number, blockBytes: number): Uint8Array {
  const block = new Uint8Array(blockBytes);
  state.copyBlock(index, block);
  return block;
}
