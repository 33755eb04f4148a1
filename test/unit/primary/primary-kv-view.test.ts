import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { PrimaryKvView } from "../../../src/primary/primary-kv-view.js";

const GIB = 2 ** 30;
const invalidState = (text: string) =>
  expect.objectContaining({ code: "INVALID_STATE", message: expect.stringContaining(text) });

afterEach(() => {
  jest.restoreAllMocks();
});

describe("PrimaryKvView", () => {
  describe("allocated", () => {
    it("gives each slot bytes of its own, zeroed and shared", () => {
      const view = PrimaryKvView.allocate(3, 640_256);
      expect([view.numBlocks, view.blockBytes, view.isShared]).toEqual([3, 640_256, true]);
      expect(view.slabs.every(({ buffer }) => buffer instanceof SharedArrayBuffer)).toBe(true);
      for (const i of [0, 1, 2]) {
        expect(view.block(i)).toHaveLength(640_256);
        expect(view.block(i).every((byte) => byte === 0)).toBe(true);
        view.block(i).fill(i + 1);
      }
      for (const i of [0, 1, 2]) expect(view.block(i).every((byte) => byte === i + 1)).toBe(true);
    });

    it("is a view: writes through one are seen through another", () => {
      const view = PrimaryKvView.allocate(2, 16);
      const one = view.block(1);
      view.block(1)[3] = 9;
      expect(one[3]).toBe(9);
    });

    it("spreads over slabs of whole blocks, none above 4 GiB", () => {
      const blockBytes = 3 * 2 ** 20 + 1;
      const perSlab = Math.floor((4 * GIB) / blockBytes);
      const view = PrimaryKvView.allocate(2 * perSlab + 5, blockBytes);
      expect(view.slabs.map(({ byteOffset, byteLength }) => [byteOffset, byteLength / blockBytes])).toEqual([
        [0, perSlab],
        [0, perSlab],
        [0, 5],
      ]);
      expect(view.locate(perSlab - 1)).toEqual({ slab: 0, byteOffset: (perSlab - 1) * blockBytes });
      expect(view.locate(perSlab)).toEqual({ slab: 1, byteOffset: 0 });
      expect(view.locate(2 * perSlab + 4)).toEqual({ slab: 2, byteOffset: 4 * blockBytes });
      view.block(perSlab - 1).fill(1, -1);
      expect(view.block(perSlab)[0]).toBe(0);
      expect(new Uint8Array(view.slabs[0]?.buffer ?? new ArrayBuffer(0), perSlab * blockBytes - 1, 1)[0]).toBe(1);
    });

    it("holds one block of exactly 4 GiB, and none above", () => {
      expect(PrimaryKvView.allocate(1, 4 * GIB).block(0)).toHaveLength(4 * GIB);
      expect(() => PrimaryKvView.allocate(1, 4 * GIB + 1)).toThrow(invalidState("at most 4294967296 bytes"));
    });

    it("can be had many times over in one process", () => {
      const views = Array.from({ length: 500 }, () => PrimaryKvView.allocate(4, 64));
      views.forEach((view, i) => view.block(3).fill(i % 251));
      expect(views.every((view, i) => view.block(3)[63] === i % 251)).toBe(true);
    });

    it("says what to do when the system refuses, with the cause", () => {
      const cause = new RangeError("could not allocate memory");
      const { WebAssembly } = globalThis as unknown as { WebAssembly: { Memory: () => unknown } };
      jest.spyOn(WebAssembly, "Memory").mockImplementation(() => {
        throw cause;
      });
      const allocate = () => PrimaryKvView.allocate(2, 1024);
      expect(allocate).toThrow(invalidState("refused 2048 bytes of shared memory"));
      expect(allocate).toThrow(expect.objectContaining({ cause }));
    });

    it.each([
      [0, 16],
      [-1, 16],
      [1.5, 16],
      [Number.NaN, 16],
      [1, 0],
      [1, -16],
      [1, 0.5],
    ])("refuses %p blocks of %p bytes", (numBlocks, blockBytes) => {
      expect(() => PrimaryKvView.allocate(numBlocks, blockBytes)).toThrow(invalidState("must be a positive integer"));
    });
  });

  describe("wrapped", () => {
    it("takes as many whole blocks as there are, from the view's own offset on", () => {
      const bytes = new Uint8Array(100).map((_, i) => i);
      const view = PrimaryKvView.wrap(bytes.subarray(7, 60), 16);
      expect([view.numBlocks, view.isShared]).toEqual([3, false]);
      expect(view.slabs).toEqual([{ buffer: bytes.buffer, byteOffset: 7, byteLength: 48 }]);
      expect([...view.block(1)]).toEqual([...bytes.subarray(23, 39)]);
      expect(view.locate(2)).toEqual({ slab: 0, byteOffset: 39 });
      view.block(2).fill(255);
      expect(bytes.indexOf(255)).toBe(39);
      expect(bytes[55]).toBe(55);
    });

    it.each([
      ["an ArrayBuffer", () => new ArrayBuffer(64), false],
      ["a SharedArrayBuffer", () => new SharedArrayBuffer(64), true],
      ["a Float32Array", () => new Float32Array(16), false],
      ["a DataView", () => new DataView(new SharedArrayBuffer(64)), true],
      ["a Buffer", () => Buffer.alloc(64), false],
    ])("takes %s", (_name, create, isShared) => {
      const view = PrimaryKvView.wrap(create(), 16);
      expect([view.numBlocks, view.isShared]).toEqual([4, isShared]);
    });

    it("refuses a buffer without room for one block, and what is no buffer", () => {
      expect(() => PrimaryKvView.wrap(new ArrayBuffer(15), 16)).toThrow(invalidState("holds no block of 16 bytes"));
      expect(() => PrimaryKvView.wrap([1, 2] as unknown as ArrayBuffer, 1)).toThrow(invalidState("can be wrapped"));
      expect(() => PrimaryKvView.wrap(new ArrayBuffer(15), 0)).toThrow(invalidState("must be a positive integer"));
    });
  });

  it.each([-1, 3, 0.5, Number.NaN, Infinity])("has no slot %p", (slot) => {
    const view = PrimaryKvView.allocate(3, 16);
    expect(() => view.block(slot)).toThrow(invalidState("the pool has slots 0 to 2"));
    expect(() => view.locate(slot)).toThrow(invalidState(`No slot ${slot}`));
  });
});
