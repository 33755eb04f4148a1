import { describe, expect, it } from "@jest/globals";
import { keysOf, poolWith } from "../unit/primary/fixtures.js";

describe.each(["lru", "arc"] as const)("M10: making room for a batch spares the batch's own blocks (%s)", (policy) => {
  it("evicts others, though the batch's block is the oldest", () => {
    const pool = poolWith(3, [2, 7, 8], policy);
    expect(pool.prepareStore(keysOf(2, 9, 10))).toMatchObject({
      keysToStore: keysOf(9, 10),
      evictedKeys: keysOf(7, 8),
    });
    expect(keysOf(2).map((key) => pool.lookup(key))).toEqual(["hit"]);
  });

  it("evicts nothing when only the batch's own blocks are left to evict", () => {
    const pool = poolWith(3, [2, 7, 8], policy, true);
    expect(pool.prepareStore(keysOf(2, 9, 10, 11))).toBeNull();
    expect(keysOf(2, 7, 8).map((key) => pool.lookup(key))).toEqual(["hit", "hit", "hit"]);
    expect(pool.takeEvents()).toEqual([]);
    expect(pool.prepareStore(keysOf(9))?.evictedKeys).toEqual(keysOf(2));
  });

  it("spares a block of the batch wherever the batch names it, also more than once", () => {
    const pool = poolWith(3, [2, 7, 8], policy);
    expect(pool.prepareStore(keysOf(9, 7, 10, 7, 2))).toBeNull();
    expect(pool.prepareStore(keysOf(9, 2, 7, 2))).toMatchObject({ evictedKeys: keysOf(8) });
  });
});
