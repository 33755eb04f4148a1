import { describe, expect, it } from "@jest/globals";
import { EntrySums } from "../../../../src/tiers/log/worker/entry-sums.js";
import { ENTRY_WORDS } from "../../../../src/tiers/log/worker/segment-format.js";

describe("EntrySums", () => {
  const block = Uint8Array.of(1, 2, 3);
  const sealed = (): Uint32Array => {
    const table = new Uint32Array(2 * ENTRY_WORDS).fill(7);
    new EntrySums([1, 2]).seal(table, 1, block, 5);
    return table;
  };

  it("passes a block with its key, in its epoch and its namespace", () => {
    expect(new EntrySums([1, 2]).isIntact(sealed(), 1, block, 5)).toBe(true);
  });

  it.each([
    ["other bytes", [1, 2], Uint8Array.of(1, 2, 4), 5],
    ["another length", [1, 2], Uint8Array.of(1, 2, 3, 0), 5],
    ["another epoch", [1, 2], block, 6],
    ["another namespace", [0, 2], block, 5],
    ["another namespace", [1, 3], block, 5],
  ] as const)("passes no block with %s", (_, namespace, bytes, epoch) => {
    expect(new EntrySums(namespace).isIntact(sealed(), 1, bytes, epoch)).toBe(false);
  });

  it("passes no block with another key", () => {
    const table = sealed();
    table[ENTRY_WORDS] = 8;
    expect(new EntrySums([1, 2]).isIntact(table, 1, block, 5)).toBe(false);
  });
});
