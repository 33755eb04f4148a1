import { OnnxGraph } from "./onnx-graph.mjs";
import { NORM_EPSILON, ROPE_BASE } from "./shape.mjs";
import { weightsOf } from "./weights.mjs";

const OPSET = 17;

/**
 * The same decoder in ONNX. Inputs: `input_ids` and, per layer, `past_key_values.N.key` and `….value`, each
 * `[batch, kvHeads, past, headDim]`. Outputs: `logits` and `present.N.key` and `….value`.
 *
 * @param {import("./shape.mjs").Shape} shape
 */
export function onnx(shape) {
  const graph = new OnnxGraph();
  for (const { name, dims, data } of weightsOf(shape)) {
    const isMatrix = dims.length === 2 && name !== "token_embd.weight";
    graph.floats(name, isMatrix ? [...dims].reverse() : dims, isMatrix ? transposed(dims, data) : data);
  }
  addConstants(graph, shape);
  const cacheDims = (/** @type {string} */ length) => ["batch", shape.kvHeads, length, shape.headDim];
  graph.input("input_ids", "int64", ["batch", "tokens"]);
  for (let layer = 0; layer < shape.layers; layer++) {
    graph.input(`past_key_values.${layer}.key`, "float", cacheDims("past"));
    graph.input(`past_key_values.${layer}.value`, "float", cacheDims("past"));
  }
  const places = addPlaces(graph);
  let stream = graph.node("Gather", ["token_embd.weight", "input_ids"], { axis: 0 });
  for (let layer = 0; layer < shape.layers; layer++) stream = addLayer(graph, layer, stream, places);
  graph.node("MatMul", [norm(graph, stream, "output_norm.weight"), "output.weight"], {}, "logits");
  graph.output("logits", "float", ["batch", "tokens", shape.vocab]);
  for (let layer = 0; layer < shape.layers; layer++) {
    graph.output(`present.${layer}.key`, "float", cacheDims("total"));
    graph.output(`present.${layer}.value`, "float", cacheDims("total"));
  }
  return graph.model("random_decoder", OPSET);
}

/** What the nodes below name. A 0 in a shape keeps the size that is there, -1 is what is left. */
function addConstants(/** @type {OnnxGraph} */ graph, /** @type {import("./shape.mjs").Shape} */ shape) {
  const { dim, heads, kvHeads, headDim, ctx } = shape;
  const half = headDim / 2;
  const angles = Array.from({ length: ctx * half }, (_, i) => {
    const pair = i % half;
    return Math.floor(i / half) * ROPE_BASE ** ((-2 * pair) / headDim);
  });
  graph.floats("cosines", [ctx, half], Float32Array.from(angles, Math.cos));
  graph.floats("sines", [ctx, half], Float32Array.from(angles, Math.sin));
  graph.float("epsilon", NORM_EPSILON);
  graph.float("two", 2);
  graph.float("scale", 1 / Math.sqrt(headDim));
  graph.float("seen", 0);
  graph.float("unseen", -1e9);
  graph.integer("0", 0);
  graph.integer("1", 1);
  graph.integers("[0]", [0]);
  graph.integers("[1]", [1]);
  graph.integers("[2]", [2]);
  graph.integers("[-1]", [-1]);
  graph.integers("query_heads", [0, 0, heads, headDim]);
  graph.integers("kv_heads", [0, 0, kvHeads, headDim]);
  graph.integers("merged", [0, 0, dim]);
  graph.integers("in_pairs", [0, 0, 0, half, 2]);
  graph.integers("joined_pairs", [0, 0, 0, headDim]);
  graph.integers("in_groups", [0, kvHeads, 1, -1, headDim]);
  graph.integers("per_group", [1, 1, heads / kvHeads, 1, 1]);
  graph.integers("of_groups", [0, heads, -1, headDim]);
}

/**
 * Where the new tokens stand, and what they see: everything that was cached, and each other up to themselves.
 *
 * @typedef {{ cosines: string, sines: string, mask: string }} Places
 * @param {OnnxGraph} graph
 * @returns {Places}
 */
function addPlaces(graph) {
  const sizeOf = (/** @type {string} */ value, /** @type {string} */ axis) =>
    graph.node("Gather", [graph.node("Shape", [value]), axis], { axis: 0 });
  const scalar = (/** @type {string} */ value) => graph.node("Squeeze", [value, "[0]"]);
  const past = sizeOf("past_key_values.0.key", "[2]");
  const total = graph.node("Add", [past, sizeOf("input_ids", "[1]")]);
  const positions = graph.node("Range", [scalar(past), scalar(total), "1"]);
  const all = graph.node("Range", ["0", scalar(total), "1"]);
  const isLater = graph.node("Greater", [
    graph.node("Unsqueeze", [all, "[0]"]),
    graph.node("Unsqueeze", [positions, "[1]"]),
  ]);
  return {
    cosines: graph.node("Gather", ["cosines", positions], { axis: 0 }),
    sines: graph.node("Gather", ["sines", positions], { axis: 0 }),
    mask: graph.node("Where", [isLater, "unseen", "seen"]),
  };
}

/** The residual stream after a layer. @param {OnnxGraph} graph @param {number} layer @param {string} stream @param {Places} places */
function addLayer(graph, layer, stream, places) {
  const times = (/** @type {string} */ value, /** @type {string} */ part) =>
    graph.node("MatMul", [value, `blk.${layer}.${part}.weight`]);
  const h = norm(graph, stream, `blk.${layer}.attn_norm.weight`);
  const query = rotated(graph, inHeads(graph, times(h, "attn_q"), "query_heads"), places);
  const newKey = rotated(graph, inHeads(graph, times(h, "attn_k"), "kv_heads"), places);
  const newValue = inHeads(graph, times(h, "attn_v"), "kv_heads");
  const after = (/** @type {string} */ part, /** @type {string} */ added) =>
    graph.node("Concat", [`past_key_values.${layer}.${part}`, added], { axis: 2 }, `present.${layer}.${part}`);
  const key = forAllHeads(graph, after("key", newKey));
  const value = forAllHeads(graph, after("value", newValue));
  const products = graph.node("MatMul", [query, graph.node("Transpose", [key], { perm: [0, 1, 3, 2] })]);
  const scores = graph.node("Add", [graph.node("Mul", [products, "scale"]), places.mask]);
  const mixed = graph.node("MatMul", [graph.node("Softmax", [scores], { axis: -1 }), value]);
  const merged = graph.node("Reshape", [graph.node("Transpose", [mixed], { perm: [0, 2, 1, 3] }), "merged"]);
  const attended = graph.node("Add", [stream, times(merged, "attn_output")]);
  const f = norm(graph, attended, `blk.${layer}.ffn_norm.weight`);
  const gate = times(f, "ffn_gate");
  const gated = graph.node("Mul", [graph.node("Mul", [gate, graph.node("Sigmoid", [gate])]), times(f, "ffn_up")]);
  return graph.node("Add", [attended, times(gated, "ffn_down")]);
}

/** @param {OnnxGraph} graph @param {string} value @param {string} weight */
function norm(graph, value, weight) {
  const mean = graph.node("ReduceMean", [graph.node("Pow", [value, "two"])], { axes: [-1], keepdims: 1 });
  const root = graph.node("Sqrt", [graph.node("Add", [mean, "epsilon"])]);
  return graph.node("Mul", [graph.node("Div", [value, root]), weight]);
}

/** `[batch, tokens, channels]` as `[batch, heads, tokens, headDim]`. @param {OnnxGraph} graph @param {string} value @param {string} shape */
function inHeads(graph, value, shape) {
  return graph.node("Transpose", [graph.node("Reshape", [value, shape])], { perm: [0, 2, 1, 3] });
}

/** Repeats each head of K or V for the query heads that share it. @param {OnnxGraph} graph @param {string} value */
function forAllHeads(graph, value) {
  const grouped = graph.node("Tile", [graph.node("Reshape", [value, "in_groups"]), "per_group"]);
  return graph.node("Reshape", [grouped, "of_groups"]);
}

/** Turns neighbouring channels by the angle of their position. @param {OnnxGraph} graph @param {string} value @param {Places} places */
function rotated(graph, value, { cosines, sines }) {
  const pairs = graph.node("Reshape", [value, "in_pairs"]);
  const x = graph.node("Gather", [pairs, "0"], { axis: 4 });
  const y = graph.node("Gather", [pairs, "1"], { axis: 4 });
  const times = (/** @type {string} */ a, /** @type {string} */ b) => graph.node("Mul", [a, b]);
  const turnedX = graph.node("Sub", [times(x, cosines), times(y, sines)]);
  const turnedY = graph.node("Add", [times(x, sines), times(y, cosines)]);
  const parts = [turnedX, turnedY].map((part) => graph.node("Unsqueeze", [part, "[-1]"]));
  return graph.node("Reshape", [graph.node("Concat", parts, { axis: -1 }), "joined_pairs"]);
}

/** @param {number[]} dims @param {Float32Array} data */
function transposed([rows = 0, columns = 0], data) {
  const turned = new Float32Array(data.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) turned[column * rows + row] = data[row * columns + column] ?? 0;
  }
  return turned;
}
