import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  dataOffset,
  decodeHeader,
  encodeHeader,
  ENTRY,
  ENTRY_BYTES,
  ENTRY_WORDS,
  entryCheck,
  HEADER_BYTES,
  isEntryValid,
  PAGE_BYTES,
  segmentBytesOf,
  slotsIn,
} from "../../../../src/tiers/log/worker/segment-format.js";

const GEOMETRY = { slots: 100, blockBytes: 640_256, namespace: [1, 2 ** 32 - 1] as const };

describe("the format of a segment", () => {
  it("has as many slots as fit, and not one more", () => {
    const sizes = fc.record({
      blockBytes: fc.integer({ min: 1, max: 2 ** 25 }),
      bytes: fc.integer({ min: 0, max: 2 ** 30 }),
    });
    fc.assert(
      fc.property(sizes, ({ blockBytes, bytes }) => {
        const slots = slotsIn(bytes, blockBytes);
        if (slots > 0) expect(segmentBytesOf({ slots, blockBytes })).toBeLessThanOrEqual(bytes);
        // Of a page that an entry more would take, a few blocks could be smaller.
        const more = slots + Math.ceil(PAGE_BYTES / (blockBytes + ENTRY_BYTES)) + 1;
        expect(segmentBytesOf({ slots: more, blockBytes })).toBeGreaterThan(bytes);
      }),
    );
  });

  it("keeps blocks apart from the table, and at a page", () => {
    expect(dataOffset(1)).toBe(2 * PAGE_BYTES);
    expect(dataOffset(64)).toBe(2 * PAGE_BYTES);
    expect(dataOffset(65)).toBe(3 * PAGE_BYTES);
  });

  it("reads the epoch of a header that it wrote, and of no other geometry or namespace", () => {
    const header = encodeHeader(GEOMETRY, 77);
    expect(decodeHeader(header, GEOMETRY)).toBe(77);
    expect(decodeHeader(header, { ...GEOMETRY, slots: 101 })).toBe(null);
    expect(decodeHeader(header, { ...GEOMETRY, blockBytes: 640_257 })).toBe(null);
    expect(decodeHeader(header, { ...GEOMETRY, namespace: [2, 2 ** 32 - 1] })).toBe(null);
    expect(decodeHeader(header, { ...GEOMETRY, namespace: [1, 0] })).toBe(null);
    expect(decodeHeader(header, { ...GEOMETRY, blockBytes: 640_256 + 2 ** 32 })).toBe(null);
  });

  it("takes a header with any bit flipped for none", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 2 ** 32 - 1 }),
        fc.nat({ max: HEADER_BYTES - 1 }),
        fc.nat({ max: 7 }),
        (epoch, at, bit) => {
          const header = encodeHeader(GEOMETRY, epoch);
          header[at] = (header[at] ?? 0) ^ (1 << bit);
          expect(decodeHeader(header, GEOMETRY)).toBe(null);
        },
      ),
    );
  });

  it("takes an entry for valid in its slot and its epoch alone, and with every bit right", () => {
    const words = fc.array(fc.nat({ max: 2 ** 32 - 1 }), { minLength: ENTRY_WORDS, maxLength: ENTRY_WORDS });
    fc.assert(
      fc.property(words, fc.nat({ max: 2 }), fc.nat({ max: 511 }), (entry, slot, bit) => {
        const table = new Uint32Array(4 * ENTRY_WORDS);
        const start = slot * ENTRY_WORDS;
        table.set(entry, start);
        table[start + ENTRY.meta] = (table[start + ENTRY.meta] ?? 0) | 1;
        table[start + ENTRY.check] = entryCheck(table, slot);
        const epoch = table[start + ENTRY.epoch] ?? 0;
        expect(isEntryValid(table, slot, epoch)).toBe(true);
        expect(isEntryValid(table, slot, epoch ^ 1)).toBe(false);
        table.copyWithin(start + ENTRY_WORDS, start, start + ENTRY_WORDS);
        expect(isEntryValid(table, slot + 1, epoch)).toBe(false);
        const word = start + (bit >> 5);
        table[word] = (table[word] ?? 0) ^ (1 << (bit & 31));
        expect(isEntryValid(table, slot, epoch)).toBe(false);
      }),
    );
  });

  it("takes zeros for no entry", () => {
    expect(isEntryValid(new Uint32Array(ENTRY_WORDS), 0, 0)).toBe(false);
  });
});
