/** @typedef {import("./reference.mjs").Vectors} Vectors */

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
