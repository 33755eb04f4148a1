import { describe, expect, it } from "@jest/globals";
import { PrimaryKvView } from "../../../../src/primary/primary-kv-view.js";
import { PoolMemory, StagingMemory } from "../../../../src/tiers/disk/worker-memory.js";

describe("PoolMemory", () => {
  it("places blocks where they lie in the pool", () => {
    const view = PrimaryKvView.wrap(new Uint8Array(new SharedArrayBuffer(1000), 100), 64);
    const memory = new PoolMemory(view);
    const { buffers, offsets } = memory.place([view.block(0), view.block(3)]);
    expect(buffers).toEqual([0, 0]);
    expect(offsets).toEqual([100, 100 + 3 * 64]);
    expect(memory.buffers).toEqual([view.slabs[0]?.buffer]);
  });

  it("has no place for a block from elsewhere", () => {
    const memory = new PoolMemory(PrimaryKvView.allocate(4, 64));
    expect(() => memory.place([new Uint8Array(64)])).toThrow("primary pool");
  });
});

describe("StagingMemory", () => {
  const blocksOf = (...fills: number[]): Uint8Array[] => fills.map((fill) => new Uint8Array(8).fill(fill));
  const staged = (memory: StagingMemory, byteOffset = 0): Uint8Array => {
    const [buffer = new SharedArrayBuffer(8)] = memory.buffers;
    return new Uint8Array(buffer, byteOffset, 8);
  };

  it("copies blocks in and out, each by its own place", () => {
    const memory = new StagingMemory(8, 2, 1);
    const blocks = blocksOf(1, 2);
    const placed = memory.place(blocks);
    placed.copyIn();
    const bytes = placed.offsets.map((offset) => staged(memory, offset));
    expect(bytes).toEqual(blocksOf(1, 2));
    for (const one of bytes) one.fill(9);
    placed.copyOut(1);
    expect(blocks).toEqual(blocksOf(1, 9));
  });

  it("never gives one place to two batches, and gives it again when it is free", () => {
    const memory = new StagingMemory(8, 2, 2);
    const [a, b] = [memory.place(blocksOf(1, 2)), memory.place(blocksOf(3, 4))];
    expect(new Set([...a.offsets, ...b.offsets]).size).toBe(4);
    expect(() => memory.place(blocksOf(5))).toThrow("in flight");
    a.release();
    expect(memory.place(blocksOf(5, 6)).offsets).toEqual(a.offsets);
    expect(() => memory.place(blocksOf(1, 2, 3))).toThrow("larger");
  });
});
