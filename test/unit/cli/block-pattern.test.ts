import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { BlockPattern } from "../../../src/cli/block-pattern.js";
import { traceKey } from "../../../src/cli/replay/trace-key.js";

const keys = Array.from({ length: 200 }, (_, i) => traceKey(i));

function blockOf(key: (typeof keys)[number], blockBytes: number): Uint8Array {
  const block = new Uint8Array(blockBytes);
  new BlockPattern(blockBytes).fill(key, block);
  return block;
}

describe("BlockPattern", () => {
  it.each([1, 3, 4, 7, 64, 1000, 4096])("accepts its own block of %d bytes, wherever it lies", (blockBytes) => {
    const pattern = new BlockPattern(blockBytes);
    const memory = new Uint8Array(new SharedArrayBuffer(blockBytes + 5));
    for (const offset of [0, 1, 5]) {
      const block = memory.subarray(offset, offset + blockBytes);
      for (const key of keys.slice(0, 3)) {
        pattern.fill(key, block);
        expect(pattern.firstWrongByte(key, block)).toBe(-1);
      }
    }
  });

  it("finds a change of any one byte, and where it is", () => {
    const pattern = new BlockPattern(1000);
    const [key = traceKey(0)] = keys;
    fc.assert(
      fc.property(fc.nat(999), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const block = blockOf(key, 1000);
        block[at] = (block[at] ?? 0) ^ change;
        return pattern.firstWrongByte(key, block) === at;
      }),
    );
  });

  it("finds a block of another key, a shift, and a swap of two words", () => {
    const pattern = new BlockPattern(256);
    for (const [i, key] of keys.entries()) {
      const block = blockOf(key, 256);
      const other = keys[(i + 1) % keys.length] ?? key;
      expect(pattern.firstWrongByte(other, block)).not.toBe(-1);
      for (const by of [1, 4, 16, 128]) {
        const shifted = Uint8Array.from(block, (_, at) => block[(at + by) % 256] ?? 0);
        expect(pattern.firstWrongByte(key, shifted)).not.toBe(-1);
      }
      const swapped = Uint8Array.from(block);
      swapped.set(block.subarray(8, 16), 0);
      swapped.set(block.subarray(0, 8), 8);
      expect(pattern.firstWrongByte(key, swapped)).not.toBe(-1);
    }
  });

  it("has no block of zeros and no two blocks alike", () => {
    const blocks = new Set(keys.map((key) => Buffer.from(blockOf(key, 16)).toString("hex")));
    expect(blocks.size).toBe(keys.length);
    expect(blocks.has("0".repeat(32))).toBe(false);
  });

  it("finds a block that is too short", () => {
    const [key = traceKey(0)] = keys;
    expect(new BlockPattern(10).firstWrongByte(key, blockOf(key, 8))).toBe(8);
  });
});
