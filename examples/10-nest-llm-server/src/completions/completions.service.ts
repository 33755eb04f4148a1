import { BadRequestException, Inject, Injectable } from "@nestjs/common";
import type { PrefixCache, RestoredPrefix } from "kvtier/engines";
import type { LlamaContextSequence, SequenceEvaluateOptions, Token } from "node-llama-cpp";
import type { OpenLlama } from "../llama/open-llama.js";
import { SequencePool } from "../llama/sequence-pool.js";
import { LLAMA, PREFIXES } from "../llama/tokens.js";
import type { CompletionRequest } from "./completion-request.js";
import type { GeneratedToken, Generation } from "./generation.js";

/** Told of each piece of the text as soon as it is there. */
export type OnText = (piece: string, token: GeneratedToken) => void;

/** From a prompt to its answer, with the state of the prompt's beginning from the tiers. */
@Injectable()
export class CompletionsService {
  constructor(
    @Inject(LLAMA) private readonly llama: OpenLlama,
    @Inject(PREFIXES) private readonly prefixes: PrefixCache<LlamaContextSequence>,
    private readonly pool: SequencePool,
  ) {}

  /**
   * @param signal the client went away: nothing more is generated
   * @throws BadRequestException when prompt and answer are longer than the context
   */
  async complete(request: CompletionRequest, signal: AbortSignal, onText: OnText = () => {}): Promise<Generation> {
    const { model } = this.llama;
    const prompt = [model.tokens.bos, ...model.tokenize(request.prompt)].filter((token) => token !== null);
    return this.pool.use(signal, async (sequence) => {
      // A longer one would make the engine drop tokens from the front.
      if (prompt.length + request.max_tokens > sequence.contextSize) {
        throw new BadRequestException(
          `The prompt has ${prompt.length} tokens; with an answer of ${request.max_tokens} that is more than ${sequence.contextSize}.`,
        );
      }
      const answer: GeneratedToken[] = [];
      let text = "";
      const take = (generated: GeneratedToken): void => {
        answer.push(generated);
        const whole = model.detokenize(answer.map(({ token }) => token));
        // A character may be of several tokens: what is not whole yet ends in the mark for that.
        const piece = whole.endsWith("\uFFFD") ? "" : whole.slice(text.length);
        text += piece;
        onText(piece, generated);
      };
      const evaluate = async ({ tail }: RestoredPrefix<Token>): Promise<Token[]> => {
        for await (const generated of this.#generate(sequence, tail, request)) {
          take(generated);
          if (answer.length >= request.max_tokens || signal.aborted) break;
        }
        return answer.map(({ token }) => token);
      };
      const usage = await this.prefixes.run(sequence, prompt, evaluate, { signal });
      return {
        tokens: answer,
        text: model.detokenize(answer.map(({ token }) => token)),
        finishReason: answer.length < request.max_tokens ? "stop" : "length",
        usage,
      };
    });
  }

  /** Probabilities are of all tokens when no option narrows them. */
  async *#generate(
    sequence: LlamaContextSequence,
    tail: Token[],
    { temperature, logprobs }: CompletionRequest,
  ): AsyncGenerator<GeneratedToken> {
    const options: SequenceEvaluateOptions = { temperature };
    if (logprobs === 0) {
      for await (const token of sequence.evaluate(tail, options)) yield { token, logprobs: new Map() };
      return;
    }
    for await (const next of sequence.evaluateWithMetadata(tail, { probabilities: true }, options)) {
      const most = [...next.probabilities].slice(0, logprobs);
      yield { token: next.token, logprobs: new Map(most.map(([token, p]) => [token, Math.log(p)])) };
    }
  }
}
