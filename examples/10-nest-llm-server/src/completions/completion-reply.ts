import type { CompletionRequest } from "./completion-request.js";
import type { GeneratedToken, Generation } from "./generation.js";

/** What OpenAI's API answers, whole or in chunks. */
export interface CompletionReply {
  readonly id: string;
  readonly object: "text_completion";
  readonly created: number;
  readonly model: string;
  readonly choices: readonly Choice[];
  readonly usage?: Usage;
}

export interface Choice {
  readonly index: 0;
  readonly text: string;
  readonly logprobs: Logprobs | null;
  readonly finish_reason: "stop" | "length" | null;
}

/** Tokens are told by their numbers, `token_id:65`: a token may be a part of a character. */
export interface Logprobs {
  readonly tokens: readonly string[];
  readonly token_logprobs: readonly number[];
  readonly top_logprobs: readonly Readonly<Record<string, number>>[];
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  /** `by_tier` is not of OpenAI's: where the tokens came from, such as `{ "1:fs": 2032 }`. */
  readonly prompt_tokens_details: {
    readonly cached_tokens: number;
    readonly by_tier: Readonly<Record<string, number>>;
  };
}

/** The fields that are the same in every chunk of an answer. */
export type ReplyHead = Pick<CompletionReply, "id" | "object" | "created" | "model">;

export function wholeReply(head: ReplyHead, request: CompletionRequest, generation: Generation): CompletionReply {
  const { text, tokens, finishReason } = generation;
  const logprobs = request.logprobs > 0 ? logprobsOf(tokens) : null;
  return { ...head, choices: [{ index: 0, text, logprobs, finish_reason: finishReason }], usage: usageOf(generation) };
}

export function pieceReply(
  head: ReplyHead,
  request: CompletionRequest,
  text: string,
  token: GeneratedToken,
): CompletionReply {
  const logprobs = request.logprobs > 0 ? logprobsOf([token]) : null;
  return { ...head, choices: [{ index: 0, text, logprobs, finish_reason: null }] };
}

/** @param text what is left of it */
export function lastReply(head: ReplyHead, text: string, { finishReason }: Generation): CompletionReply {
  return { ...head, choices: [{ index: 0, text, logprobs: null, finish_reason: finishReason }] };
}

export function usageReply(head: ReplyHead, generation: Generation): CompletionReply {
  return { ...head, choices: [], usage: usageOf(generation) };
}

function usageOf({ tokens, usage }: Generation): Usage {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: tokens.length,
    total_tokens: usage.promptTokens + tokens.length,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens, by_tier: usage.cachedTokensByTier },
  };
}

function logprobsOf(tokens: readonly GeneratedToken[]): Logprobs {
  const nameOf = (token: number): string => `token_id:${token}`;
  return {
    tokens: tokens.map(({ token }) => nameOf(token)),
    token_logprobs: tokens.map(({ token, logprobs }) => logprobs.get(token) ?? -Infinity),
    top_logprobs: tokens.map(({ logprobs }) =>
      Object.fromEntries([...logprobs].map(([token, logprob]) => [nameOf(token), logprob])),
    ),
  };
}
