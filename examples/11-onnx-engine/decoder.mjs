import { OnnxEngine, modelFingerprint } from "kvtier/engines";
import ort from "onnxruntime-node";

const TOKENS_PER_BLOCK = 16;
/** The first token of every text, and the number of the token for byte 0. */
const BEGIN = 1;
const FIRST_BYTE = 3;

/** @typedef {import("kvtier/engines").OnnxSequence<ort.Tensor>} Sequence */

/** A model of the example with its session, and the adapter between it and kvtier. */
export class Decoder {
  #session;

  /** @param {ort.InferenceSession} session @param {OnnxEngine<ort.Tensor>} engine */
  constructor(session, engine) {
    this.#session = session;
    this.engine = engine;
  }

  /** @param {string} file */
  static async open(file) {
    const session = await ort.InferenceSession.create(file, { intraOpNumThreads: 1 });
    const model = await modelFingerprint(file);
    return new Decoder(
      session,
      new OnnxEngine({ session, Tensor: ort.Tensor, model, tokensPerBlock: TOKENS_PER_BLOCK }),
    );
  }

  /** One token for the beginning, then one for each byte. @param {string} text */
  tokensOf(text) {
    return [BEGIN, ...Buffer.from(text)].map((byte, i) => (i === 0 ? byte : byte + FIRST_BYTE));
  }

  /**
   * Evaluates `tokens` after what the sequence holds.
   *
   * @param {Sequence} sequence
   * @param {number[]} tokens
   * @returns {Promise<number[]>} the probability of each token of the vocabulary to be the next
   */
  async evaluate(sequence, tokens) {
    const ids = new ort.Tensor("int64", BigInt64Array.from(tokens, BigInt), [1, tokens.length]);
    const outputs = await this.#session.run({ input_ids: ids, ...sequence.past });
    sequence.append(tokens, outputs);
    const { logits } = outputs;
    if (logits === undefined) throw new Error("The model has no output logits.");
    const vocabulary = logits.dims[2] ?? 0;
    return softmax(/** @type {Float32Array} */ (logits.data).slice(-vocabulary));
  }

  /**
   * The most probable answer of `count` tokens after `tail`, with all probabilities for each of them.
   *
   * @param {Sequence} sequence
   * @param {number[]} tail
   * @param {number} count
   */
  async answer(sequence, tail, count) {
    const tokens = [];
    const vectors = [];
    for (let rest = tail; tokens.length < count;) {
      const probabilities = await this.evaluate(sequence, rest);
      const next = probabilities.indexOf(Math.max(...probabilities));
      vectors.push(probabilities);
      tokens.push(next);
      rest = [next];
    }
    return { tokens, vectors };
  }
}

/** @param {Float32Array} logits */
function softmax(logits) {
  const highest = Math.max(...logits);
  const powers = Array.from(logits, (logit) => Math.exp(logit - highest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
