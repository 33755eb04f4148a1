import { describe, expect, it } from "@jest/globals";
import { LlamaCppEngine } from "../../../src/engines/llama/llama-cpp-engine.js";
import type { LlamaSequence } from "../../../src/engines/llama/llama-sequence.js";
import { PrefixCache } from "../../../src/engines/prefix-cache.js";
import type { RestoredPrefix } from "../../../src/engines/prefix-usage.js";
import { createTestTiering, type TestTiering } from "../../../src/testing/create-test-tiering.js";
import { recordingLogger, type LogLine } from "../../support/recording-logger.js";
import { FakeLlamaSequence } from "./fake-llama-sequence.js";
import { stateFile } from "./llama-state-file.js";

const SHAPE = { layers: [{ type: 1, keyBytes: 4, valueBytes: 4 }] };
const TOKENS_PER_BLOCK = 4;
const PROMPT = Array.from({ length: 13 }, (_, i) => 100 + i);

interface Rig extends TestTiering {
  readonly engine: LlamaCppEngine;
  readonly prefixes: PrefixCache<LlamaSequence>;
  readonly lines: LogLine[];
}

/** A real cache with an `example` tier, and the real engine adapter over sequences that are not. */
async function openRig(poolBlocks = 16): Promise<Rig> {
  const engine = await LlamaCppEngine.open(new FakeLlamaSequence(SHAPE), {
    model: "weights",
    tokensPerBlock: TOKENS_PER_BLOCK,
  });
  const tiering = await createTestTiering({
    cpu_bytes_to_use: poolBlocks * engine.blockBytes,
    block_bytes: engine.blockBytes,
    model: { name: "test-model", dtype: "float16", tokens_per_block: TOKENS_PER_BLOCK },
    secondary_tiers: [{ type: "example" }],
  });
  const { logger, lines } = recordingLogger();
  const prefixes = new PrefixCache<LlamaSequence>({ cache: tiering.cache, engine, logger });
  return Object.assign(tiering, { engine, prefixes, lines });
}

/** Evaluates the tail, generates nothing. */
const evaluateOn =
  (sequence: FakeLlamaSequence) =>
  async ({ tail }: RestoredPrefix): Promise<number[]> => {
    await sequence.evaluateWithoutGeneratingNewTokens(tail);
    return [];
  };

async function runOn(rig: Rig, tokens: readonly number[] = PROMPT): Promise<FakeLlamaSequence> {
  const sequence = new FakeLlamaSequence(SHAPE);
  await rig.prefixes.run(sequence, tokens, evaluateOn(sequence));
  return sequence;
}

describe("PrefixCache", () => {
  it("evaluates all of a prompt that is new, and the rest of one that begins alike", async () => {
    await using rig = await openRig();
    const first = await rig.prefixes.restore(new FakeLlamaSequence(SHAPE), PROMPT);
    expect(first.tail).toEqual(PROMPT);
    await runOn(rig);

    const longer = [...PROMPT.slice(0, 9), 7, 8];
    const sequence = new FakeLlamaSequence(SHAPE);
    const { tail, usage } = await rig.prefixes.restore(sequence, longer);
    expect(tail).toEqual([108, 7, 8]);
    expect(sequence.contextTokens).toEqual(PROMPT.slice(0, 8));
    expect(usage).toEqual({ promptTokens: 11, cachedTokens: 8, cachedTokensByTier: { "0:primary": 8 } });
  });

  it("says which tier a prefix came from", async () => {
    await using rig = await openRig();
    await runOn(rig);
    await rig.cache.flush();
    await rig.manager.resetCache();
    await rig.prefixes.restore(new FakeLlamaSequence(SHAPE), PROMPT.slice(0, 6));
    const { usage } = await rig.prefixes.restore(new FakeLlamaSequence(SHAPE), PROMPT);
    expect(usage.cachedTokensByTier).toEqual({ "0:primary": 4, "1:example": 8 });
    expect(usage.cachedTokens).toBe(12);
  });

  it("gives the engine exactly the bytes that it saved", async () => {
    await using rig = await openRig();
    await runOn(rig);
    const sequence = new FakeLlamaSequence(SHAPE);
    await rig.prefixes.restore(sequence, PROMPT);
    const expected = stateFile({ ...SHAPE, tokens: PROMPT.slice(0, 12) }).bytes;
    expect(sequence.loaded.map((bytes) => Buffer.compare(bytes, expected))).toEqual([0]);
  });

  it.each([
    [12, 8],
    [13, 12],
    [4, 0],
    [1, 0],
  ])("leaves at least the last token: of %i tokens %i are restored", async (length, restored) => {
    await using rig = await openRig();
    await runOn(rig, [...PROMPT, 1, 2, 3, 4]);
    const { tail } = await rig.prefixes.restore(new FakeLlamaSequence(SHAPE), PROMPT.slice(0, length));
    expect(tail).toEqual(PROMPT.slice(restored, length));
  });

  it("stores what was generated with the prompt, the last token not yet evaluated", async () => {
    await using rig = await openRig();
    const sequence = new FakeLlamaSequence(SHAPE);
    await rig.prefixes.run(sequence, PROMPT, async ({ tail }) => {
      await sequence.evaluateWithoutGeneratingNewTokens([...tail, 1, 2, 3]);
      return [1, 2, 3, 4];
    });
    const { usage } = await rig.prefixes.restore(new FakeLlamaSequence(SHAPE), [...PROMPT, 1, 2, 3, 4, 5]);
    expect(usage.cachedTokens).toBe(16);
  });

  it("goes by the prompt as it was, whatever becomes of its array", async () => {
    await using rig = await openRig();
    const sequence = new FakeLlamaSequence(SHAPE);
    const prompt = [...PROMPT];
    await rig.prefixes.run(sequence, prompt, async ({ tail }) => {
      prompt.reverse();
      await sequence.evaluateWithoutGeneratingNewTokens([...tail]);
      return [];
    });
    const { usage } = await rig.prefixes.restore(new FakeLlamaSequence(SHAPE), PROMPT);
    expect(usage.cachedTokens).toBe(12);
  });

  it("does not save a state when nothing in it is new", async () => {
    await using rig = await openRig();
    await runOn(rig);
    const again = await runOn(rig);
    expect(again.paths).toHaveLength(1); // the load
  });

  it("evaluates again what the engine refuses, and says so", async () => {
    await using rig = await openRig();
    await runOn(rig);
    const sequence = new FakeLlamaSequence(SHAPE);
    sequence.refusal = new Error("the context may be too small");
    const { tail, usage } = await rig.prefixes.restore(sequence, PROMPT);
    expect(tail).toEqual(PROMPT);
    expect(usage).toEqual({ promptTokens: 13, cachedTokens: 0, cachedTokensByTier: {} });
    expect(rig.lines).toEqual([
      expect.objectContaining({ level: "warn", message: expect.stringContaining("not restored") as unknown }),
    ]);
  });

  it("empties a sequence that held something else", async () => {
    await using rig = await openRig();
    const sequence = new FakeLlamaSequence(SHAPE);
    await sequence.evaluateWithoutGeneratingNewTokens([9, 9, 9]);
    await rig.prefixes.restore(sequence, PROMPT);
    expect(sequence.contextTokens).toEqual([]);
  });

  it("stores nothing of a state that is not of the prompt's tokens, and the answer stands", async () => {
    await using rig = await openRig();
    const sequence = new FakeLlamaSequence(SHAPE);
    const usage = await rig.prefixes.run(sequence, PROMPT, async ({ tail }) => {
      await sequence.evaluateWithoutGeneratingNewTokens(tail.slice(2));
      return [];
    });
    expect(usage.promptTokens).toBe(13);
    expect(rig.cache.stats().primary.residentBlocks).toBe(0);
    expect(rig.lines.map(({ message }) => message)).toEqual([expect.stringContaining("not stored")]);
  });

  it("stores nothing when the evaluation fails, and hands its error on", async () => {
    await using rig = await openRig();
    const failure = new Error("out of memory");
    const run = rig.prefixes.run(new FakeLlamaSequence(SHAPE), PROMPT, () => Promise.reject(failure));
    await expect(run).rejects.toBe(failure);
    expect(rig.cache.stats().primary.residentBlocks).toBe(0);
  });

  it("stores as much of a prompt as a small pool has room for", async () => {
    await using rig = await openRig(2);
    await runOn(rig);
    const { usage } = await rig.prefixes.restore(new FakeLlamaSequence(SHAPE), PROMPT);
    expect(usage.cachedTokensByTier).toEqual({ "0:primary": 8 });
  });

  it("ends with the reason of an abort, before anything is evaluated", async () => {
    await using rig = await openRig();
    let isEvaluated = false;
    const evaluate = async (): Promise<number[]> => {
      isEvaluated = true;
      return [];
    };
    const reason = new Error("the client went away");
    const signal = AbortSignal.abort(reason);
    const run = rig.prefixes.run(new FakeLlamaSequence(SHAPE), PROMPT, evaluate, { signal });
    await expect(run).rejects.toBe(reason);
    expect(isEvaluated).toBe(false);
  });

  it("keeps engines and salts apart", async () => {
    await using rig = await openRig();
    const { cache, engine } = rig;
    const other = await LlamaCppEngine.open(new FakeLlamaSequence(SHAPE), { model: "others", tokensPerBlock: 4 });
    const keys = [
      rig.prefixes.keysOf(PROMPT),
      new PrefixCache({ cache, engine, salt: "lora-7" }).keysOf(PROMPT),
      new PrefixCache({ cache, engine: other }).keysOf(PROMPT),
    ].flat();
    expect(new Set(keys).size).toBe(9);
  });

  it("refuses a cache whose blocks have another size, and says which to set", async () => {
    await using rig = await openRig();
    const engine = await LlamaCppEngine.open(new FakeLlamaSequence(SHAPE), { model: "weights", tokensPerBlock: 8 });
    expect(() => new PrefixCache({ cache: rig.cache, engine })).toThrow(/Set block_bytes to 64/);
  });

  it("refuses a prompt without a token", async () => {
    await using rig = await openRig();
    const restore = rig.prefixes.restore(new FakeLlamaSequence(SHAPE), []);
    await expect(restore).rejects.toMatchObject({ code: "INVALID_STATE" });
  });
});
