import { badState } from "../engine-state.js";
import type { CacheInput } from "./cache-input.js";
import type { OnnxTensor } from "./onnx-tensor.js";

/**
 * The KV state of one sequence of an ONNX model: tensors that one run puts out and the next takes in. Made by
 * `OnnxEngine.newSequence`.
 *
 * @example
 * const outputs = await session.run({ input_ids: idsOf(tail), ...sequence.past });
 * sequence.append(tail, outputs);
 */
export class OnnxSequence<Tensor extends OnnxTensor> {
  readonly #inputs: readonly CacheInput[];
  #tokens: readonly number[] = [];
  #past: Readonly<Record<string, Tensor>>;

  constructor(inputs: readonly CacheInput[], past: Readonly<Record<string, Tensor>>) {
    this.#inputs = inputs;
    this.#past = past;
  }

  /** Tokens that were evaluated, in order. */
  get tokens(): readonly number[] {
    return this.#tokens;
  }

  /** The inputs `past_key_values.N.key` and `….value` of the next run. */
  get past(): Readonly<Record<string, Tensor>> {
    return this.#past;
  }

  /**
   * Takes in what a run gave out.
   *
   * @param tokens that the run evaluated
   * @param outputs of the run, `present.N.key` and `….value` among them; kept, not copied
   * @throws KvTierError `INVALID_STATE` when one of these is missing
   */
  append(tokens: readonly number[], outputs: Readonly<Record<string, Tensor>>): void {
    const past = this.#inputs.map(({ past, present }) => {
      const tensor = outputs[present];
      if (tensor === undefined) throw badState("ONNX", `the run has no output ${present}.`);
      return [past, tensor] as const;
    });
    this.replace([...this.#tokens, ...tokens], Object.fromEntries(past));
  }

  /** Makes `past` the state, which is that of `tokens`. */
  replace(tokens: readonly number[], past: Readonly<Record<string, Tensor>>): void {
    this.#tokens = tokens;
    this.#past = past;
  }
}
