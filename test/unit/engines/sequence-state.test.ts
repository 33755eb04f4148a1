import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { assertLoadable, composeSequenceState } from "../../../src/engines/llama/compose-sequence-state.js";
import { copyFromState } from "../../../src/engines/llama/copy-rows.js";
import { parseSequenceState } from "../../../src/engines/llama/parse-sequence-state.js";
import { bytesPerToken } from "../../../src/engines/llama/state-layout.js";
import { KvTierError } from "../../../src/errors/kv-tier-error.js";
import { anyState, stateFile, type StateShape } from "./llama-state-file.js";

const FLASH: StateShape = {
  tokens: [1, 70, 71, 72],
  layers: [
    { type: 1, keyBytes: 4, valueBytes: 6 },
    { type: 1, keyBytes: 8, valueBytes: 4 },
  ],
};
const PLAIN: StateShape = { ...FLASH, transposed: true, streams: 2 };

/** The first `blocks` blocks of a file. */
function blocksOf(bytes: Uint8Array, tokensPerBlock: number, blocks: number): Uint8Array[] {
  const state = parseSequenceState(bytes);
  return Array.from({ length: blocks }, (_, index) => {
    const block = new Uint8Array(bytesPerToken(state.layout) * tokensPerBlock);
    copyFromState(state, tokensPerBlock, index, block);
    return block;
  });
}

/** The code that the call fails with; whatever else it throws is thrown on. */
function codeOf(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    if (KvTierError.is(error)) return error.code;
    throw error;
  }
}

describe("a sequence file of llama.cpp", () => {
  it("is put together from any leading run of its blocks as the engine would have written it", () => {
    const inBlocks = fc.integer({ min: 1, max: 3 }).chain((tokensPerBlock) =>
      fc.record({
        tokensPerBlock: fc.constant(tokensPerBlock),
        shape: anyState({ min: tokensPerBlock, max: tokensPerBlock * 4 + 1 }),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
    );
    fc.assert(
      fc.property(inBlocks, ({ shape, tokensPerBlock, share }) => {
        const { bytes } = stateFile(shape);
        const { layout } = parseSequenceState(bytes);
        const full = Math.floor(shape.tokens.length / tokensPerBlock);
        const count = 1 + Math.floor(share * (full - 1));
        const tokens = shape.tokens.slice(0, count * tokensPerBlock);
        const blocks = blocksOf(bytes, tokensPerBlock, count);

        const joined = composeSequenceState(layout, tokens, tokensPerBlock, blocks);

        const { positions: _, ...inOrder } = { ...shape, tokens, stream: 0, sequenceId: 0 };
        expect(Buffer.compare(joined, stateFile(inOrder).bytes)).toBe(0);
        assertLoadable(joined, layout, tokens);
        expect(blocksOf(joined, tokensPerBlock, count)).toEqual(blocks);
      }),
    );
  });

  it.each([
    ["with flash attention", FLASH],
    ["without", PLAIN],
  ])("that is cut short anywhere is refused, %s", (_, shape) => {
    const { bytes } = stateFile(shape);
    const accepted = Array.from(bytes.keys()).filter(
      (length) => codeOf(() => parseSequenceState(bytes.subarray(0, length))) !== "INVALID_STATE",
    );
    expect(accepted).toEqual([]);
  });

  it("that goes on after its end is refused", () => {
    const { bytes } = stateFile(FLASH);
    expect(codeOf(() => parseSequenceState(Uint8Array.of(...bytes, 0)))).toBe("INVALID_STATE");
  });

  it.each([
    ["with flash attention", FLASH],
    ["without", PLAIN],
  ])("does not reach the engine with any bit of its envelope turned, %s", (_, shape) => {
    const { bytes, envelope } = stateFile(shape);
    const { layout } = parseSequenceState(bytes);
    assertLoadable(bytes, layout, shape.tokens);
    const accepted = envelope.flatMap((at) =>
      Array.from({ length: 8 }, (_, bit) => bit).filter((bit) => {
        const turned = Uint8Array.from(bytes);
        turned[at] = (turned[at] ?? 0) ^ (1 << bit);
        return codeOf(() => assertLoadable(turned, layout, shape.tokens)) !== "INVALID_STATE";
      }),
    );
    expect(accepted).toEqual([]);
  });

  it("is refused by an error of ours, whatever the bytes are", () => {
    const { bytes } = stateFile(PLAIN);
    const damage = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 12 });
    fc.assert(
      fc.property(damage, fc.nat(bytes.length), (changes, length) => {
        const damaged = Uint8Array.from(bytes);
        for (const [at, value] of changes) damaged[at] = value;
        expect(["INVALID_STATE", undefined]).toContain(codeOf(() => parseSequenceState(damaged.subarray(0, length))));
      }),
    );
  });

  it.each([
    ["of another version", { at: 4, value: 4 }, /version 4; 3 is known/],
    ["of another magic number", { at: 0, value: 0x6e }, /not with 'ggsq'/],
  ])("%s is refused by name", (_, { at, value }, message) => {
    const { bytes } = stateFile(FLASH);
    bytes[at] = value;
    expect(() => parseSequenceState(bytes)).toThrow(message);
  });

  it.each<[string, Partial<StateShape>, RegExp]>([
    ["a cache type that is not known", { layers: [{ type: 99, keyBytes: 4, valueBytes: 4 }] }, /cache type 99/],
    ["rows that are no whole pieces", { layers: [{ type: 8, keyBytes: 33, valueBytes: 34 }] }, /33 bytes/],
    ["shared scales by channel", { layers: [{ type: 8, keyBytes: 34, valueBytes: 34 }], transposed: true }, /type 8/],
    ["a position twice", { positions: [0, 1, 1, 3] }, /cell 2 is for position 1/],
    ["a position that is too high", { positions: [0, 1, 2, 4] }, /cell 3 is for position 4/],
    ["fewer cells than tokens", { positions: [0, 1, 2] }, /3 cells for 4 tokens/],
    ["a sequence that cannot be", { sequenceId: 256 }, /sequence 256/],
    ["no layers", { layers: [] }, /no layers/],
    ["no tokens", { tokens: [] }, /no tokens/],
  ])("with %s is refused", (_, change, message) => {
    expect(() => parseSequenceState(stateFile({ ...FLASH, ...change }).bytes)).toThrow(message);
  });

  it("is not taken for one of another layout or of other tokens", () => {
    const { bytes } = stateFile(FLASH);
    const { layout } = parseSequenceState(bytes);
    const other = parseSequenceState(stateFile({ ...FLASH, streams: 2 }).bytes).layout;
    expect(() => assertLoadable(bytes, other, FLASH.tokens)).toThrow(/layout/);
    expect(() => assertLoadable(bytes, layout, [1, 70, 71, 73])).toThrow(/tokens/);
    expect(() => assertLoadable(bytes, layout, [1, 70, 71])).toThrow(/tokens/);
  });
});
