import { describe, expect, it } from "@jest/globals";
import { keysOf, poolWith } from "./fixtures.js";

describe("LRU eviction", () => {
  it("takes the block that was stored first", () => {
    expect(poolWith(3, [1, 2, 3]).prepareStore(keysOf(4, 5))?.evictedKeys).toEqual(keysOf(1, 2));
  });

  it("spares what was touched; of the touched the first key goes last", () => {
    const pool = poolWith(4, [1, 2, 3, 4]);
    pool.touch(keysOf(1, 2, 3));
    expect(pool.prepareStore(keysOf(5, 6, 7, 8))?.evictedKeys).toEqual(keysOf(4, 3, 2, 1));
  });

  it("puts a released block last", () => {
    const pool = poolWith(3, [1, 2, 3]);
    pool.prepareLoad(keysOf(1));
    pool.completeLoad(keysOf(1));
    expect(pool.prepareStore(keysOf(4, 5, 6))?.evictedKeys).toEqual(keysOf(2, 3, 1));
  });

  it("spares a pinned block, however old", () => {
    const pool = poolWith(3, [1, 2, 3]);
    pool.prepareLoad(keysOf(1));
    expect(pool.prepareStore(keysOf(4, 5))?.evictedKeys).toEqual(keysOf(2, 3));
  });

  it("leaves a block in its place when its pin was no use of it", () => {
    const pool = poolWith(3, [1, 2, 3]);
    const [first = -1, second = -1] = pool.prepareLoad(keysOf(1, 2));
    pool.unpin(second);
    pool.unpin(first);
    expect(pool.prepareStore(keysOf(4, 5, 6))?.evictedKeys).toEqual(keysOf(1, 2, 3));
  });
});
