import { createHash } from "node:crypto";
import { SPECIAL_TOKENS } from "./shape.mjs";

/** @typedef {import("./shape.mjs").Shape} Shape */

/**
 * One tensor by its name in GGUF. A matrix is `[outputs, inputs]`, row-major.
 *
 * @typedef {{ name: string, dims: number[], data: Float32Array<ArrayBuffer> }} Tensor
 */

/** Sharper than usual, so that what comes next hangs on which tokens are attended to. */
const ATTENTION_GAIN = 1.6;

/** @param {Shape} shape @returns {Tensor[]} */
export function weightsOf({ layers, dim, kvDim, ffn, vocab, seed }) {
  /** @type {(name: string, rows: number, columns: number, gain?: number) => Tensor} */
  const matrix = (name, rows, columns, gain = 1) => randomMatrix(seed, name, rows, columns, gain / Math.sqrt(columns));
  const perLayer = Array.from({ length: layers }, (_, layer) => {
    const of = (/** @type {string} */ part) => `blk.${layer}.${part}.weight`;
    return [
      ones(of("attn_norm"), dim),
      matrix(of("attn_q"), dim, dim, ATTENTION_GAIN),
      matrix(of("attn_k"), kvDim, dim, ATTENTION_GAIN),
      matrix(of("attn_v"), kvDim, dim),
      matrix(of("attn_output"), dim, dim, 1.5),
      ones(of("ffn_norm"), dim),
      matrix(of("ffn_gate"), ffn, dim),
      matrix(of("ffn_up"), ffn, dim),
      matrix(of("ffn_down"), dim, ffn),
    ];
  }).flat();
  const output = matrix("output.weight", vocab, dim, 2);
  // A special token scores 0, which is below the best of the others: texts do not end by themselves.
  output.data.fill(0, 0, SPECIAL_TOKENS.length * dim);
  const embedding = matrix("token_embd.weight", vocab, dim, Math.sqrt(dim));
  return [embedding, ...perLayer, ones("output_norm.weight", dim), output];
}

/** @param {string} name @param {number} size @returns {Tensor} */
function ones(name, size) {
  return { name, dims: [size], data: new Float32Array(size).fill(1) };
}

/**
 * Values around 0, roughly normal. Each tensor has numbers of its own, whatever other tensors there are.
 *
 * @param {number} seed @param {string} name @param {number} rows @param {number} columns @param {number} deviation
 * @returns {Tensor}
 */
function randomMatrix(seed, name, rows, columns, deviation) {
  const next = randomNumbers(createHash("sha256").update(`${seed}/${name}`).digest().readUInt32LE(0) || 1);
  // The sum of four numbers from [0, 1) has the mean 2 and the variance 1/3.
  const scale = Math.sqrt(3) * deviation;
  const data = Float32Array.from({ length: rows * columns }, () => (next() + next() + next() + next() - 2) * scale);
  return { name, dims: [rows, columns], data };
}

/** Xorshift with 32 bits; numbers from [0, 1). @param {number} state not 0 */
function randomNumbers(state) {
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
