import type { PrefixUsage } from "kvtier/engines";
import type { Token } from "node-llama-cpp";

/** One token of an answer, with what the others would have had. */
export interface GeneratedToken {
  readonly token: Token;
  /** Natural logarithm of the probability, of the most probable tokens first; empty unless asked for. */
  readonly logprobs: ReadonlyMap<Token, number>;
}

/** A whole answer. */
export interface Generation {
  readonly tokens: readonly GeneratedToken[];
  readonly text: string;
  readonly finishReason: "stop" | "length";
  readonly usage: PrefixUsage;
}
