import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { makeOffloadKey, type OffloadKey } from "../../../../src/contracts/offload-key.js";
import { keyAt, KeyWords } from "../../../../src/tiers/log/key-words.js";
import { ENTRY_WORDS, keyHash } from "../../../../src/tiers/log/worker/segment-format.js";

const group = fc.nat({ max: 2 ** 32 - 1 });
const keys = (maxLength: number): fc.Arbitrary<OffloadKey> =>
  fc.tuple(fc.uint8Array({ minLength: 1, maxLength }), group).map(([hash, index]) => makeOffloadKey(hash, index));

describe("KeyWords", () => {
  it("finds a key where it was copied to, and tells it from every other", () => {
    fc.assert(
      fc.property(keys(80), keys(80), (key, other) => {
        const words = new KeyWords();
        const table = new Uint32Array(2 * ENTRY_WORDS);
        expect(words.read(key)).toBe(true);
        words.copyTo(table, ENTRY_WORDS);
        expect(keyHash(table, ENTRY_WORDS)).toBe(words.hash);
        expect(words.isAt(table, ENTRY_WORDS)).toBe(true);
        expect(words.isAt(table, 0)).toBe(false);
        words.read(other);
        expect(words.isAt(table, ENTRY_WORDS)).toBe(key === other);
      }),
    );
  });

  it("gives a key back, unless it is too long for an entry", () => {
    fc.assert(
      fc.property(keys(60), (key) => {
        const words = new KeyWords();
        const table = new Uint32Array(new SharedArrayBuffer(4 * ENTRY_WORDS));
        words.read(key);
        words.copyTo(table, 0);
        expect(keyAt(table, 0)).toBe(key.length <= 80 ? key : null);
      }),
    );
    expect(keyAt(new Uint32Array(ENTRY_WORDS), 0)).toBe(null);
  });

  it("tells a long key from the short one that its digest looks like", () => {
    const words = new KeyWords();
    const table = new Uint32Array(ENTRY_WORDS);
    words.read(makeOffloadKey(new Uint8Array(64), 5));
    words.copyTo(table, 0);
    const digest = Buffer.from(table.buffer, 0, 32).toString("hex");
    expect(words.read(makeOffloadKey(digest, 5))).toBe(true);
    expect(words.isAt(table, 0)).toBe(false);
  });

  it.each(["", "ab", "ab0000000", "zz00000000", "ab0000000g", 5, null])("refuses %j, which is no key", (key) => {
    expect(new KeyWords().read(key as OffloadKey)).toBe(false);
  });
});
