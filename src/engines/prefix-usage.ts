import type { AcquireOptions } from "../cache/cache-options.js";

/** `signal`: gives up restoring, and waiting for room; an evaluation that is under way is the application's to stop. */
export type PrefixOptions = AcquireOptions;

/** In tokens, as `usage` of an OpenAI-style answer counts them. */
export interface PrefixUsage {
  readonly promptTokens: number;
  /** Of these, those whose state was restored: `usage.prompt_tokens_details.cached_tokens`. */
  readonly cachedTokens: number;
  /** The same by where it came from: `0:primary`, `1:fs`, … Tiers that served nothing are not listed. */
  readonly cachedTokensByTier: Readonly<Record<string, number>>;
}

/**
 * A sequence that holds the beginning of a prompt.
 *
 * @typeParam Token of the prompt, as the engine's own type has it
 */
export interface RestoredPrefix<Token extends number = number> {
  /** The tokens that are left to evaluate, at least one. */
  readonly tail: Token[];
  readonly usage: PrefixUsage;
}
