import { describe, expect, it } from "@jest/globals";
import { keysOf, poolWith } from "../unit/primary/fixtures.js";

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

describe.each(["lru", "arc"] as const)("M17: eviction is measured by what can be evicted (%s)", (policy) => {
  it("evicts what is needed and no more, however many keys it has known", () => {
    const pool = poolWith(40, range(0, 40), policy);
    for (const block of range(40, 1000)) {
      pool.prepareStore(keysOf(block));
      pool.completeStore(keysOf(block), true);
    }
    const before = pool.evictions;
    expect(pool.prepareStore(keysOf(2000, 2001))?.evictedKeys).toEqual(keysOf(960, 961));
    expect([pool.evictions - before, pool.residentBlocks]).toEqual([2, 40]);
  });

  it("takes free slots before it evicts", () => {
    const pool = poolWith(5, [1, 2, 3], policy);
    expect(pool.prepareStore(keysOf(4, 5, 6))?.evictedKeys).toEqual(keysOf(1));
  });
});
