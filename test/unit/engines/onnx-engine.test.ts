import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { OnnxEngine } from "../../../src/engines/onnx/onnx-engine.js";
import type { OnnxInput } from "../../../src/engines/onnx/onnx-tensor.js";

/** A tensor with real values, as onnxruntime makes them. */
class FakeTensor {
  constructor(
    readonly type: string,
    readonly data: Float32Array | Uint16Array,
    readonly dims: readonly number[],
  ) {}
}

interface Shape {
  readonly layers: number;
  readonly heads: number;
  readonly channels: number;
  readonly type?: string;
}

const SMALL: Shape = { layers: 2, heads: 2, channels: 4 };

function inputsOf({ layers, heads, channels, type = "float32" }: Shape): OnnxInput[] {
  const cache = Array.from({ length: layers }, (_, layer) =>
    ["value", "key"].map((part) => ({
      name: `past_key_values.${layer}.${part}`,
      type,
      shape: ["batch", heads, "past", channels],
    })),
  ).flat();
  return [{ name: "input_ids", type: "int64", shape: ["batch", "tokens"] }, ...cache];
}

const engineOf = (shape: Shape, tokensPerBlock = 2, model = "weights"): OnnxEngine<FakeTensor> =>
  new OnnxEngine({ session: { inputMetadata: inputsOf(shape) }, Tensor: FakeTensor, model, tokensPerBlock });

/** What a model would give out for `tokens`: other values for every token, tensor, head and channel. */
function outputsFor(
  { layers, heads, channels, type = "float32" }: Shape,
  tokens: readonly number[],
): Record<string, FakeTensor> {
  const present = Array.from({ length: layers }, (_, layer) =>
    ["key", "value"].map((part, which) => {
      const values = Array.from({ length: heads }, (_, head) =>
        tokens.map((token, t) =>
          Array.from({ length: channels }, (_, c) => token * 1000 + t * 100 + layer * 40 + which * 20 + head * 10 + c),
        ),
      ).flat(2);
      const data = type === "float16" ? Uint16Array.from(values) : Float32Array.from(values);
      return [`present.${layer}.${part}`, new FakeTensor(type, data, [1, heads, tokens.length, channels])] as const;
    }),
  ).flat();
  return Object.fromEntries(present);
}

async function blocksOf(
  engine: OnnxEngine<FakeTensor>,
  shape: Shape,
  tokens: readonly number[],
): Promise<Uint8Array[]> {
  const sequence = engine.newSequence();
  sequence.append(tokens, outputsFor(shape, tokens));
  const state = await engine.split(sequence, tokens);
  return Array.from({ length: state.blocks }, (_, index) => {
    const block = new Uint8Array(engine.blockBytes);
    state.copyBlock(index, block);
    return block;
  });
}

describe("OnnxEngine", () => {
  it("restores any leading run of blocks as the model put it out", async () => {
    const cases = fc.record({
      shape: fc.record({
        layers: fc.integer({ min: 1, max: 3 }),
        heads: fc.integer({ min: 1, max: 3 }),
        channels: fc.integer({ min: 1, max: 4 }),
        type: fc.constantFrom("float32", "float16"),
      }),
      tokensPerBlock: fc.integer({ min: 1, max: 3 }),
      tokens: fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 3, maxLength: 10 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ shape, tokensPerBlock, tokens, share }) => {
        const engine = engineOf(shape, tokensPerBlock);
        const blocks = await blocksOf(engine, shape, tokens);
        const count = 1 + Math.floor(share * (blocks.length - 1));
        const prefix = tokens.slice(0, count * tokensPerBlock);

        const sequence = engine.newSequence();
        await engine.join(sequence, prefix, blocks.slice(0, count));

        const expected = engine.newSequence();
        expected.append(prefix, outputsFor(shape, prefix));
        expect(sequence.tokens).toEqual(prefix);
        expect(sequence.past).toEqual(expected.past);
      }),
    );
  });

  it("takes the size of a block from the model's inputs", () => {
    expect(engineOf(SMALL, 16).blockBytes).toBe(16 * 2 * 2 * (2 * 4 * 4));
    expect(engineOf({ ...SMALL, type: "float16" }, 16).blockBytes).toBe(16 * 2 * 2 * (2 * 4 * 2));
  });

  it("tells models apart by weights, shape, type and block size", () => {
    const all = [
      engineOf(SMALL),
      engineOf({ ...SMALL, type: "float16" }),
      engineOf({ ...SMALL, heads: 4, channels: 2 }),
      engineOf(SMALL, 4),
      engineOf(SMALL, 2, "others"),
    ].map(({ fingerprint }) => fingerprint);
    expect(new Set(all).size).toBe(all.length);
  });

  it("starts from tensors without tokens", () => {
    const { past, tokens } = engineOf(SMALL).newSequence();
    expect(tokens).toEqual([]);
    expect(Object.keys(past)).toHaveLength(4);
    expect(past["past_key_values.1.value"]).toEqual(new FakeTensor("float32", new Float32Array(0), [1, 2, 0, 4]));
  });

  it("empties the sequence when blocks do not fit", async () => {
    const engine = engineOf(SMALL);
    const [block = new Uint8Array()] = await blocksOf(engine, SMALL, [5, 6]);
    const sequence = engine.newSequence();
    sequence.append([5, 6], outputsFor(SMALL, [5, 6]));
    const join = engine.join(sequence, [5, 6], [block.subarray(1)]);
    await expect(join).rejects.toMatchObject({ code: "INVALID_STATE" });
    expect(sequence.tokens).toEqual([]);
  });

  it("refuses a state that is of other tokens, or a tensor of another size or type", async () => {
    const engine = engineOf(SMALL);
    const sequence = engine.newSequence();
    sequence.append([5, 6], outputsFor(SMALL, [5, 6]));
    await expect(engine.split(sequence, [5, 7])).rejects.toThrow(/its token 1 is 6/);
    sequence.append([7], outputsFor(SMALL, [5, 6]));
    await expect(engine.split(sequence, [5, 6, 7])).rejects.toThrow(/past_key_values.0.key is float32 \[1, 2, 2, 4\]/);
    const half = outputsFor({ ...SMALL, type: "float16" }, [5, 6, 7, 8]);
    sequence.append([8], half);
    await expect(engine.split(sequence, [5, 6, 7, 8])).rejects.toThrow(/is float16/);
  });

  it("refuses outputs without the state", () => {
    expect(() => engineOf(SMALL).newSequence().append([5], {})).toThrow(/no output present.0.key/);
  });

  it.each<[string, OnnxInput[], RegExp]>([
    ["no cache", [], /no inputs past_key_values/],
    ["a cache of three dimensions", [{ name: "past_key_values.0.key", type: "float32", shape: [1, 2, 3] }], /shape/],
    ["heads without a number", [{ name: "past_key_values.0.key", type: "float32", shape: [1, "h", "t", 4] }], /shape/],
    ["another type", [{ name: "past_key_values.0.key", type: "bfloat16", shape: [1, 2, "t", 4] }], /bfloat16/],
  ])("does not take a model with %s", (_, inputMetadata, message) => {
    const make = (): unknown =>
      new OnnxEngine({ session: { inputMetadata }, Tensor: FakeTensor, model: "weights", tokensPerBlock: 2 });
    expect(make).toThrow(message);
  });
});
