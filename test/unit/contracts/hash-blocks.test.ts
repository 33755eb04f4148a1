import { createHash } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { hashBlocks } from "../../../src/contracts/hash-blocks.js";

const hex = (hashes: readonly Uint8Array[]): string[] => hashes.map((hash) => Buffer.from(hash).toString("hex"));

/** The definition, written down a second time. */
function expected(tokens: readonly number[], blockSize: number, seed: string): string[] {
  const hashes: string[] = [];
  let previous = createHash("sha256").update(seed, "utf8").digest();
  for (let i = 0; i + blockSize <= tokens.length; i += blockSize) {
    const block = Buffer.alloc(blockSize * 8);
    tokens.slice(i, i + blockSize).forEach((token, at) => block.writeBigInt64LE(BigInt(token), at * 8));
    previous = createHash("sha256")
      .update(Buffer.concat([previous, block]))
      .digest();
    hashes.push(previous.toString("hex"));
  }
  return hashes;
}

const tokenLists = fc.array(fc.maxSafeInteger(), { maxLength: 40 });
const fewTokens = fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 24 });

describe("hashBlocks", () => {
  it("does not change from release to release: stored blocks are found by it", () => {
    expect(hex(hashBlocks([1, 2, 3, 4, 5], 2, "lora-7"))).toEqual([
      "5b8ef64ea05a6913fb1158527d27496e2be19f009a4a68675a5481395e5b5243",
      "da7e312ece9947f332f61342dae408a6e9706dc8b2c555b0ea36a98e12b82c1f",
    ]);
    expect(hex(hashBlocks([], 4))).toEqual([]);
  });

  it("chains SHA-256 over 8-byte little-endian tokens, from the hash of the seed", () => {
    fc.assert(
      fc.property(tokenLists, fc.integer({ min: 1, max: 9 }), fc.string(), (tokens, blockSize, seed) => {
        expect(hex(hashBlocks(tokens, blockSize, seed))).toEqual(expected(tokens, blockSize, seed));
      }),
    );
  });

  it("gives equal hashes for equal prefixes, and for nothing else", () => {
    fc.assert(
      fc.property(fewTokens, fewTokens, fc.integer({ min: 1, max: 4 }), (left, right, blockSize) => {
        const [a, b] = [hex(hashBlocks(left, blockSize)), hex(hashBlocks(right, blockSize))];
        for (let i = 0; i < Math.min(a.length, b.length); i++) {
          const end = (i + 1) * blockSize;
          const areEqual = left.slice(0, end).join() === right.slice(0, end).join();
          expect(a[i] === b[i]).toBe(areEqual);
        }
      }),
    );
  });

  it("leaves out the partial block at the end", () => {
    expect(hashBlocks([1, 2, 3], 4)).toEqual([]);
    expect(hex(hashBlocks([1, 2, 3, 4, 5, 6, 7], 4))).toEqual(hex(hashBlocks([1, 2, 3, 4], 4)));
  });

  it("depends on the size of a block and on the seed, as text or as its bytes", () => {
    const tokens = [1, 2, 3, 4];
    expect(hex(hashBlocks(tokens, 2))[1]).not.toBe(hex(hashBlocks(tokens, 4))[0]);
    expect(hex(hashBlocks(tokens, 2, "ü"))).toEqual(hex(hashBlocks(tokens, 2, new Uint8Array([0xc3, 0xbc]))));
    expect(hex(hashBlocks(tokens, 2, "a"))).not.toEqual(hex(hashBlocks(tokens, 2, "b")));
  });

  it("reads typed arrays as it reads lists, and hands out hashes that are the caller's", () => {
    const [list, typed] = [hashBlocks([7, 8, 9, 10], 2), hashBlocks(new Uint32Array([7, 8, 9, 10]), 2)];
    expect(hex(list)).toEqual(hex(typed));
    list[0]?.fill(0);
    expect(hex(hashBlocks([7, 8, 9, 10], 2))).toEqual(hex(typed));
  });

  it.each([0, -1, 1.5, NaN, Infinity, "2"])("refuses the block size %p", (size) => {
    expect(() => hashBlocks([1, 2], size as number)).toThrow(
      expect.objectContaining({
        code: "INVALID_STATE",
        message: `The block size must be a positive integer of tokens; got ${String(size)}.`,
      }),
    );
  });

  it.each([1.5, NaN, 2 ** 53, "1", undefined])("refuses the token %p, in a full block", (token) => {
    expect(() => hashBlocks([1, token as number], 2)).toThrow(
      expect.objectContaining({ code: "INVALID_STATE", message: `Token 1 must be an integer; got ${String(token)}.` }),
    );
  });
});
