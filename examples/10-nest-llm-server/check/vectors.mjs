/**
 * Natural logarithms of the probabilities of all tokens, by number, for each token of an answer.
 *
 * @typedef {Record<string, number>[]} Vectors
 *
 * @typedef {import("node-llama-cpp").Token} Token
 */

/**
 * The most probable answer of `count` tokens after `rest`, which is evaluated onto the sequence.
 *
 * @param {import("node-llama-cpp").LlamaContextSequence} sequence
 * @param {Token[]} rest
 * @param {number} count
 */
export async function answerOf(sequence, rest, count) {
  /** @type {Vectors} */
  const vectors = [];
  /** @type {Token[]} */
  const tokens = [];
  const evaluation = sequence.evaluateWithMetadata(rest, { probabilities: true }, { temperature: 0 });
  for await (const { token, probabilities } of evaluation) {
    tokens.push(token);
    vectors.push(Object.fromEntries([...probabilities].map(([id, p]) => [`token_id:${id}`, Math.log(p)])));
    if (tokens.length >= count) break;
  }
  return { tokens, vectors };
}

/**
 * The most that two answers differ in, as a probability, over all tokens of the vocabulary and all places of the answer.
 *
 * @param {Vectors} one
 * @param {Vectors} other
 */
export function largestDifference(one, other) {
  if (one.length !== other.length) throw new Error(`${one.length} tokens are compared with ${other.length}.`);
  return Math.max(...one.map((vector, place) => differenceOf(vector, other[place] ?? {})));
}

/** @param {Record<string, number>} one @param {Record<string, number>} other */
function differenceOf(one, other) {
  const ids = Object.keys(one);
  if (ids.length === 0 || ids.length !== Object.keys(other).length) throw new Error("Other tokens are compared.");
  return Math.max(...ids.map((id) => Math.abs(Math.exp(one[id] ?? NaN) - Math.exp(other[id] ?? NaN))));
}
