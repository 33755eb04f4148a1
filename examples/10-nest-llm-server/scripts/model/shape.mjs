/** What can be chosen, and what it is otherwise. */
export const SIZES = { layers: 4, dim: 256, heads: 8, "kv-heads": 4, ctx: 8192, seed: 1 };

/**
 * A decoder of the llama architecture: rotary positions, RMS norms, gated feed-forward, heads of K and V that are shared
 * by groups of query heads.
 *
 * @typedef {object} Shape
 * @property {number} layers
 * @property {number} dim width of the residual stream
 * @property {number} heads of queries
 * @property {number} kvHeads
 * @property {number} headDim channels of one head
 * @property {number} kvDim channels of all heads of K or V
 * @property {number} ffn width of the feed-forward layer
 * @property {number} ctx longest text in tokens
 * @property {number} vocab
 * @property {number} seed
 */

/** Rotation of position `p`, pair `i`: `p * ROPE_BASE ** (-2 * i / headDim)`. */
export const ROPE_BASE = 10_000;
export const NORM_EPSILON = 1e-5;

/** Tokens: these, then one for each byte, then the space. So any text can be taken apart. */
export const SPECIAL_TOKENS = ["<unk>", "<s>", "</s>"];
export const BYTE_TOKENS = Array.from(
  { length: 256 },
  (_, b) => `<0x${b.toString(16).toUpperCase().padStart(2, "0")}>`,
);
/** As this kind of vocabulary spells a space. */
export const SPACE_TOKEN = "\u2581";

/** @param {Partial<Record<string, number>>} chosen by the names in `SIZES` @returns {Shape} */
export function shapeOf(chosen) {
  const { layers, dim, heads, "kv-heads": kvHeads, ctx, seed } = { ...SIZES, ...chosen };
  const headDim = dim / heads;
  if (!Number.isInteger(headDim / 2) || heads % kvHeads !== 0) {
    throw new Error("The width must be an even multiple of the heads, and these a multiple of the kv-heads.");
  }
  const vocab = SPECIAL_TOKENS.length + BYTE_TOKENS.length + 1;
  return { layers, dim, heads, kvHeads, headDim, kvDim: headDim * kvHeads, ffn: dim * 3, ctx, vocab, seed };
}
