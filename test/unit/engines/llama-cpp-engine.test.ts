import { readdir } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import { LlamaCppEngine } from "../../../src/engines/llama/llama-cpp-engine.js";
import { openFilesBelow, withTempFolder } from "../../support/temp-folder.js";
import { FakeLlamaSequence } from "./fake-llama-sequence.js";
import { stateFile, type StateShape } from "./llama-state-file.js";

const SHAPE: Omit<StateShape, "tokens"> = {
  layers: [
    { type: 1, keyBytes: 4, valueBytes: 6 },
    { type: 1, keyBytes: 4, valueBytes: 6 },
  ],
};
const PROMPT = [1, 50, 51, 52, 53, 54, 55];
const MODEL = { model: "weights", tokensPerBlock: 2 };

/** An engine, a sequence that holds `PROMPT`, and the folder that states pass through. */
async function withEngine(
  body: (rig: { engine: LlamaCppEngine; sequence: FakeLlamaSequence; folder: string }) => Promise<void>,
  shape = SHAPE,
): Promise<void> {
  await withTempFolder(async (folder) => {
    const sequence = new FakeLlamaSequence(shape);
    const engine = await LlamaCppEngine.open(sequence, { ...MODEL, folder });
    await sequence.evaluateWithoutGeneratingNewTokens(PROMPT);
    await body({ engine, sequence, folder });
  });
}

async function blocksOf(engine: LlamaCppEngine, sequence: FakeLlamaSequence): Promise<Uint8Array[]> {
  const state = await engine.split(sequence, PROMPT);
  return Array.from({ length: state.blocks }, (_, index) => {
    const block = new Uint8Array(engine.blockBytes);
    state.copyBlock(index, block);
    return block;
  });
}

describe("LlamaCppEngine", () => {
  it("knows the size of a block from a state of the engine itself, and leaves the sequence empty", async () => {
    await withTempFolder(async (folder) => {
      const sequence = new FakeLlamaSequence(SHAPE);
      await sequence.evaluateWithoutGeneratingNewTokens([1, 2, 3]);
      const engine = await LlamaCppEngine.open(sequence, { ...MODEL, tokensPerBlock: 16, folder });
      expect(engine.blockBytes).toBe(16 * 2 * (4 + 6));
      expect(sequence.contextTokens).toEqual([]);
    });
  });

  it.each([
    ["flash attention on", SHAPE],
    ["flash attention off, two streams", { ...SHAPE, transposed: true, streams: 2, stream: 1, sequenceId: 1 }],
  ])("restores a prefix as it was, with %s", async (_, shape) => {
    await withEngine(async ({ engine, sequence }) => {
      const blocks = await blocksOf(engine, sequence);
      const other = new FakeLlamaSequence(shape);
      await engine.join(other, PROMPT.slice(0, 4), blocks.slice(0, 2));
      expect(other.contextTokens).toEqual(PROMPT.slice(0, 4));
      const expected = stateFile({ ...shape, stream: 0, sequenceId: 0, tokens: PROMPT.slice(0, 4) }).bytes;
      expect(other.loaded.map((bytes) => Buffer.compare(bytes, expected))).toEqual([0]);
    }, shape);
  });

  it("tells engines apart by model, block size, layout and release, and not by the number of sequences", async () => {
    const fingerprint = async (shape = SHAPE, more: object = {}, release = "b1"): Promise<string> => {
      const sequence = new FakeLlamaSequence(shape);
      sequence.model.llama.llamaCppRelease.release = release;
      return (await LlamaCppEngine.open(sequence, { ...MODEL, ...more })).fingerprint;
    };
    const layers = [
      { type: 8, keyBytes: 34, valueBytes: 34 },
      { type: 8, keyBytes: 34, valueBytes: 34 },
    ];
    const all = await Promise.all([
      fingerprint(),
      fingerprint({ ...SHAPE, transposed: true }),
      fingerprint({ layers }),
      fingerprint(SHAPE, { model: "others" }),
      fingerprint(SHAPE, { tokensPerBlock: 4 }),
      fingerprint(SHAPE, {}, "b2"),
    ]);
    expect(new Set(all).size).toBe(all.length);
    expect(await fingerprint({ ...SHAPE, streams: 4 })).toBe(all[0]);
  });

  it("leaves no file behind, whether a state is saved, loaded or refused", async () => {
    await withEngine(async ({ engine, sequence, folder }) => {
      const blocks = await blocksOf(engine, sequence);
      await engine.join(sequence, PROMPT.slice(0, 2), blocks.slice(0, 1));
      sequence.refusal = new Error("the context may be too small");
      await expect(engine.join(sequence, PROMPT.slice(0, 2), blocks.slice(0, 1))).rejects.toThrow(/refused/);
      sequence.damage = (bytes) => bytes.subarray(0, 9);
      await expect(engine.split(sequence, [])).rejects.toThrow(/ends before/);
      expect(sequence.paths).toHaveLength(5);
      expect([await readdir(folder), await openFilesBelow(folder)]).toEqual([[], []]);
    });
  });

  it("never hands over a block that is cut short", async () => {
    await withEngine(async ({ engine, sequence }) => {
      const [block = new Uint8Array()] = await blocksOf(engine, sequence);
      const join = engine.join(sequence, PROMPT.slice(0, 2), [block.subarray(1)]);
      await expect(join).rejects.toMatchObject({ code: "INVALID_STATE" });
      expect(sequence.loaded).toEqual([]);
      expect(sequence.contextTokens).toEqual([]);
    });
  });

  it("empties the sequence when the engine refuses a state, and says why", async () => {
    await withEngine(async ({ engine, sequence }) => {
      const [block = new Uint8Array()] = await blocksOf(engine, sequence);
      sequence.refusal = new Error("the context may be too small");
      const join = engine.join(sequence, PROMPT.slice(0, 2), [block]);
      await expect(join).rejects.toMatchObject({ code: "INVALID_STATE", cause: sequence.refusal });
      expect(sequence.contextTokens).toEqual([]);
    });
  });

  it("takes a state whose last token was handed out and not yet evaluated", async () => {
    await withEngine(async ({ engine, sequence }) => {
      const state = await engine.split(sequence, [...PROMPT, 99]);
      expect(state.blocks).toBe(3);
    });
  });

  it("refuses the state of a sequence that dropped tokens to make room", async () => {
    await withEngine(async ({ engine, sequence }) => {
      sequence.contextTokens = PROMPT.slice(2);
      await expect(engine.split(sequence, PROMPT)).rejects.toThrow(/5 tokens, and 7 were evaluated/);
      // All tokens alike: the count alone tells.
      sequence.contextTokens = new Array<number>(sequence.contextSize).fill(7);
      const passed = new Array<number>(sequence.contextSize + 1).fill(7);
      await expect(engine.split(sequence, passed)).rejects.toThrow(/context of 64/);
    });
  });

  it("refuses the state of other tokens", async () => {
    await withEngine(async ({ engine, sequence }) => {
      await expect(engine.split(sequence, PROMPT.with(3, 9))).rejects.toThrow(/its token 3 is 52/);
    });
  });

  it("refuses a state of another layout than it was opened with", async () => {
    await withEngine(async ({ engine }) => {
      const other = new FakeLlamaSequence({ ...SHAPE, transposed: true });
      await other.evaluateWithoutGeneratingNewTokens(PROMPT);
      await expect(engine.split(other, PROMPT)).rejects.toThrow(/layout/);
    });
  });

  it("does not open on files of a version that is not known", async () => {
    const sequence = new FakeLlamaSequence(SHAPE);
    sequence.damage = (bytes) => bytes.with(4, 4);
    await expect(LlamaCppEngine.open(sequence, MODEL)).rejects.toMatchObject({ code: "INVALID_STATE" });
  });

  it.each([
    ["no model", { ...MODEL, model: "" }, /needs 'model'/],
    ["half a token in a block", { ...MODEL, tokensPerBlock: 0.5 }, /positive integer/],
  ])("does not open with %s", async (_, options, message) => {
    await expect(LlamaCppEngine.open(new FakeLlamaSequence(SHAPE), options)).rejects.toThrow(message);
  });
});
