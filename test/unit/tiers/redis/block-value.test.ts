import { describe, expect, it } from "@jest/globals";
import { makeOffloadKey } from "../../../../src/contracts/offload-key.js";
import { BlockValue, TRAILER_BYTES } from "../../../../src/tiers/redis/block-value.js";

const SIZE = 100;
const KEY = makeOffloadKey("01");
const BLOCK = Uint8Array.from({ length: SIZE }, (_, i) => i);

const sealed = (value: BlockValue): Buffer => Buffer.concat(value.seal(KEY, BLOCK));

/** The block that comes out, or the code of the fault. */
function opened(value: BlockValue, bytes: Buffer, key = KEY): unknown {
  const [block, trailer] = [new Uint8Array(SIZE), Buffer.alloc(TRAILER_BYTES)];
  let rest = bytes;
  for (const piece of value.placeFor(bytes.length, block, trailer) ?? []) {
    piece.set(rest.subarray(0, piece.byteLength));
    rest = rest.subarray(piece.byteLength);
  }
  try {
    value.verify(key, bytes.length, block, trailer);
    expect(rest.length).toBe(0);
    return block;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

describe("the value of a block", () => {
  const withSum = new BlockValue("ns", SIZE, true);
  const without = new BlockValue("ns", SIZE, false);

  it("is the block, not copied, and a trailer, and gives the block back", () => {
    const [first, trailer] = withSum.seal(KEY, BLOCK);
    expect(first).toBe(BLOCK);
    expect(trailer?.byteLength).toBe(TRAILER_BYTES);
    expect(opened(withSum, sealed(withSum))).toEqual(BLOCK);
  });

  it("is refused when any bit of it is another", () => {
    const whole = sealed(withSum);
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(opened(withSum, bytes)).toBe("CHECKSUM_MISMATCH");
    }
  });

  it("is refused under another key, and in another namespace", () => {
    expect(opened(withSum, sealed(withSum), makeOffloadKey("02"))).toBe("CHECKSUM_MISMATCH");
    expect(opened(new BlockValue("other", SIZE, true), sealed(withSum))).toBe("CHECKSUM_MISMATCH");
  });

  it("is refused, and has no place, at any other size", () => {
    for (const size of [0, SIZE - 1, SIZE + 1, SIZE + TRAILER_BYTES - 1, SIZE + TRAILER_BYTES + 1]) {
      expect(withSum.placeFor(size, new Uint8Array(SIZE), Buffer.alloc(TRAILER_BYTES))).toBe(null);
      expect(opened(withSum, Buffer.alloc(size))).toBe("TORN_BLOCK");
    }
  });

  it("loads when it was stored without a trailer, and with one where none is asked for", () => {
    expect(sealed(without).length).toBe(SIZE);
    expect(opened(withSum, sealed(without))).toEqual(BLOCK);
    expect(opened(without, sealed(withSum))).toEqual(BLOCK);
  });
});
