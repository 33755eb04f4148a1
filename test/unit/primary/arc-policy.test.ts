import { describe, expect, it } from "@jest/globals";
import { keysOf, poolWith } from "./fixtures.js";

describe("ARC eviction", () => {
  it("lets a scan pass without loss of what is used again", () => {
    const pool = poolWith(4, [1, 2, 3, 4], "arc");
    pool.touch(keysOf(1, 2));
    for (let block = 100; block < 200; block++) {
      pool.prepareStore(keysOf(block));
      pool.completeStore(keysOf(block), true);
    }
    expect(keysOf(1, 2).map((key) => pool.lookup(key))).toEqual(["hit", "hit"]);
  });

  it("makes room for new blocks when one that it evicted unused is asked for again", () => {
    const pool = poolWith(4, [1, 2, 3, 4], "arc");
    pool.touch(keysOf(3, 4));
    const store = (block: number) => {
      const evicted = pool.prepareStore(keysOf(block))?.evictedKeys;
      pool.completeStore(keysOf(block), true);
      return evicted;
    };
    expect([store(5), store(6)]).toEqual([keysOf(1), keysOf(2)]);
    // Each use of a key evicted unused lets T1 grow by one, to three: T2 gives a slot first, then T1 again.
    pool.touch(keysOf(1, 2, 1));
    expect([store(7), store(8)]).toEqual([keysOf(4), keysOf(5)]);
  });

  it("does not count a use of a block that is still being written", () => {
    const pool = poolWith(2, [1], "arc");
    pool.prepareStore(keysOf(2));
    pool.touch(keysOf(2));
    pool.completeStore(keysOf(2), true);
    pool.touch(keysOf(1));
    expect(pool.prepareStore(keysOf(3))?.evictedKeys).toEqual(keysOf(2));
  });

  it("gives a key that it remembers a slot like any other, and shows it as a miss until then", () => {
    const pool = poolWith(1, [1], "arc");
    pool.prepareStore(keysOf(2));
    pool.completeStore(keysOf(2), true);
    const key = keysOf(1)[0] ?? never();
    expect([pool.lookup(key), pool.slotOf(key), pool.refCount(key)]).toEqual(["miss", undefined, undefined]);
    expect(() => pool.prepareLoad([key])).toThrow(expect.objectContaining({ code: "INVALID_STATE" }));
    expect(pool.prepareStore([key])).toMatchObject({ keysToStore: [key], evictedKeys: keysOf(2) });
  });
});

function never(): never {
  throw new Error("no such key");
}
