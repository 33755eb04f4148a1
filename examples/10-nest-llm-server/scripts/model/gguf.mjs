import { BYTE_TOKENS, NORM_EPSILON, ROPE_BASE, SPACE_TOKEN, SPECIAL_TOKENS } from "./shape.mjs";
import { weightsOf } from "./weights.mjs";

/** Tensors begin at multiples of this. */
const ALIGNMENT = 32;
const VERSION = 3;
const FLOAT32 = 0;

/** Kinds of values, by their number in the format. */
const KIND = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 };
/** Kinds of tokens, likewise. */
const TOKEN = { normal: 1, unknown: 2, control: 3, byte: 6 };

const u32 = (/** @type {number} */ value) => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (/** @type {number} */ value) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const f32 = (/** @type {number} */ value) => Buffer.from(Float32Array.of(value).buffer);
const text = (/** @type {string} */ value) => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
const aligned = (/** @type {number} */ length) => Math.ceil(length / ALIGNMENT) * ALIGNMENT;

/** A GGUF file of the llama architecture, in float32. @param {import("./shape.mjs").Shape} shape */
export function gguf(shape) {
  const tensors = weightsOf(shape);
  const entries = [...modelEntries(shape), ...vocabularyEntries()];
  let offset = 0;
  const infos = tensors.map(({ name, dims, data }) => {
    // The fastest dimension stands first.
    const info = [text(name), u32(dims.length), ...[...dims].reverse().map(u64), u32(FLOAT32), u64(offset)];
    offset += aligned(data.byteLength);
    return Buffer.concat(info);
  });
  const counts = [u32(VERSION), u64(tensors.length), u64(entries.length)];
  const head = Buffer.concat([Buffer.from("GGUF"), ...counts, ...entries, ...infos]);
  return Buffer.concat([padded(head), ...tensors.map(({ data }) => padded(Buffer.from(data.buffer)))]);
}

/** @param {import("./shape.mjs").Shape} shape */
function modelEntries({ layers, dim, heads, kvHeads, headDim, ffn, ctx, vocab }) {
  return [
    entry("general.architecture", KIND.string, text("llama")),
    entry("general.name", KIND.string, text(`random ${layers}x${dim}`)),
    entry("general.file_type", KIND.uint32, u32(FLOAT32)),
    entry("llama.context_length", KIND.uint32, u32(ctx)),
    entry("llama.embedding_length", KIND.uint32, u32(dim)),
    entry("llama.block_count", KIND.uint32, u32(layers)),
    entry("llama.feed_forward_length", KIND.uint32, u32(ffn)),
    entry("llama.attention.head_count", KIND.uint32, u32(heads)),
    entry("llama.attention.head_count_kv", KIND.uint32, u32(kvHeads)),
    entry("llama.attention.layer_norm_rms_epsilon", KIND.float32, f32(NORM_EPSILON)),
    entry("llama.rope.dimension_count", KIND.uint32, u32(headDim)),
    entry("llama.rope.freq_base", KIND.float32, f32(ROPE_BASE)),
    entry("llama.vocab_size", KIND.uint32, u32(vocab)),
  ];
}

function vocabularyEntries() {
  const tokens = [...SPECIAL_TOKENS, ...BYTE_TOKENS, SPACE_TOKEN];
  const kinds = [TOKEN.unknown, TOKEN.control, TOKEN.control, ...BYTE_TOKENS.map(() => TOKEN.byte), TOKEN.normal];
  return [
    entry("tokenizer.ggml.model", KIND.string, text("llama")),
    list("tokenizer.ggml.tokens", KIND.string, tokens.map(text)),
    list(
      "tokenizer.ggml.scores",
      KIND.float32,
      tokens.map(() => f32(0)),
    ),
    list("tokenizer.ggml.token_type", KIND.int32, kinds.map(u32)),
    entry("tokenizer.ggml.unknown_token_id", KIND.uint32, u32(0)),
    entry("tokenizer.ggml.bos_token_id", KIND.uint32, u32(1)),
    entry("tokenizer.ggml.eos_token_id", KIND.uint32, u32(2)),
    entry("tokenizer.ggml.add_bos_token", KIND.bool, Buffer.of(1)),
    entry("tokenizer.ggml.add_space_prefix", KIND.bool, Buffer.of(0)),
  ];
}

/** @param {string} key @param {number} kind @param {Buffer} value */
function entry(key, kind, value) {
  return Buffer.concat([text(key), u32(kind), value]);
}

/** @param {string} key @param {number} kind @param {Buffer[]} values */
function list(key, kind, values) {
  return entry(key, KIND.array, Buffer.concat([u32(kind), u64(values.length), ...values]));
}

/** @param {Buffer} bytes */
function padded(bytes) {
  return Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length) - bytes.length)]);
}
