import { describe, expect, it } from "@jest/globals";
import { makeOffloadKey } from "../../../../src/contracts/offload-key.js";
import { BlockValue, TRAILER_BYTES } from "../../../../src/tiers/redis/block-value.js";

const SIZE = 100;
const KEY = makeOffloadKey("01");
const BLOCK = Uint8Array.from({ length: SIZE }, (_, i) => i);

const sealed = (value: BlockValue): Buffer => {
  const bytes = Buffer.alloc(value.bytes);
  value.seal(KEY, BLOCK, bytes);
  return bytes;
};

/** The block that comes out, or the code of the fault; `into` must be untouched then. */
function opened(value: BlockValue, bytes: Buffer, key = KEY): unknown {
  const into = new Uint8Array(SIZE).fill(0xee);
  try {
    value.open(key, bytes, into);
    return into;
  } catch (error) {
    expect(into).toEqual(new Uint8Array(SIZE).fill(0xee));
    return (error as { code?: unknown }).code;
  }
}

describe("the value of a block", () => {
  const withSum = new BlockValue("ns", SIZE, true);
  const without = new BlockValue("ns", SIZE, false);

  it("is the block and a trailer, and gives the block back", () => {
    const bytes = sealed(withSum);
    expect(bytes.length).toBe(SIZE + TRAILER_BYTES);
    expect(new Uint8Array(bytes.subarray(0, SIZE))).toEqual(BLOCK);
    expect(opened(withSum, bytes)).toEqual(BLOCK);
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

  it("is refused at any other size", () => {
    for (const size of [0, SIZE - 1, SIZE + 1, SIZE + TRAILER_BYTES - 1, SIZE + TRAILER_BYTES + 1]) {
      expect(opened(withSum, Buffer.alloc(size))).toBe("TORN_BLOCK");
    }
  });

  it("loads when it was stored without a trailer, and with one where none is asked for", () => {
    expect(sealed(without).length).toBe(SIZE);
    expect(opened(withSum, sealed(without))).toEqual(BLOCK);
    expect(opened(without, sealed(withSum))).toEqual(BLOCK);
  });
});
