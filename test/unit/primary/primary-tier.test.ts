import { describe, expect, it } from "@jest/globals";
import { PrimaryTier } from "../../../src/primary/primary-tier.js";
import { keysOf, poolWith } from "./fixtures.js";

const lookups = (pool: PrimaryTier, ...blocks: number[]) => keysOf(...blocks).map((key) => pool.lookup(key));
const invalidState = (text: string) =>
  expect.objectContaining({ code: "INVALID_STATE", message: expect.stringContaining(text) });

describe.each(["lru", "arc"] as const)("PrimaryTier with %s", (policy) => {
  it("hands out fresh slots in order, then the one freed last", () => {
    const pool = new PrimaryTier({ numBlocks: 4, evictionPolicy: policy, recordEvents: false });
    expect([...(pool.prepareStore(keysOf(1, 2, 3))?.blockIds ?? [])]).toEqual([0, 1, 2]);
    pool.completeStore(keysOf(1, 2), false);
    expect([...(pool.prepareStore(keysOf(4, 5, 6))?.blockIds ?? [])]).toEqual([3, 1, 0]);
  });

  it("shows a block as pending while it is written, then as a hit, and never after a failure", () => {
    const pool = new PrimaryTier({ numBlocks: 4, evictionPolicy: policy, recordEvents: false });
    pool.prepareStore(keysOf(1, 2));
    expect(lookups(pool, 1, 2, 3)).toEqual(["hit_pending", "hit_pending", "miss"]);
    pool.completeStore(keysOf(1), true);
    pool.completeStore(keysOf(2), false);
    expect(lookups(pool, 1, 2)).toEqual(["hit", "miss"]);
    expect([pool.idleBlocks, pool.writingBlocks, pool.freeBlocks]).toEqual([1, 0, 3]);
  });

  it("tells 'nothing to do' from 'no room'", () => {
    const pool = poolWith(2, [1], policy);
    pool.prepareStore(keysOf(2));
    expect(pool.prepareStore(keysOf(1, 2))).toEqual({ keysToStore: [], blockIds: new Int32Array(), evictedKeys: [] });
    expect(pool.prepareStore([])).toEqual({ keysToStore: [], blockIds: new Int32Array(), evictedKeys: [] });
    expect(pool.prepareStore(keysOf(3, 4))).toBeNull();
  });

  it("gives a key that is named twice one slot, also when it has to evict", () => {
    const roomy = poolWith(4, [1], policy).prepareStore(keysOf(5, 5, 6));
    expect(roomy).toMatchObject({ keysToStore: keysOf(5, 6), evictedKeys: [] });
    const full = poolWith(2, [1, 2], policy).prepareStore(keysOf(5, 5, 5));
    expect(full).toMatchObject({ keysToStore: keysOf(5), evictedKeys: keysOf(1) });
  });

  it("keeps a pinned block until its last pin goes", () => {
    const pool = poolWith(2, [1, 2], policy);
    expect([...pool.prepareLoad(keysOf(2, 1))]).toEqual([1, 0]);
    pool.prepareLoad(keysOf(1));
    expect([pool.pinnedBlocks, pool.availableBlocks]).toEqual([2, 0]);
    expect(pool.prepareStore(keysOf(3))).toBeNull();
    pool.completeLoad(keysOf(1));
    expect(pool.refCount(keysOf(1)[0] ?? fail())).toBe(1);
    expect(pool.prepareStore(keysOf(3))).toBeNull();
    pool.completeLoad(keysOf(1));
    expect(pool.prepareStore(keysOf(3))?.evictedKeys).toEqual(keysOf(1));
  });

  it("refuses to load what is absent or being written, and pins nothing then", () => {
    const pool = poolWith(3, [1], policy);
    pool.prepareStore(keysOf(2));
    expect(() => pool.prepareLoad(keysOf(1, 3))).toThrow(invalidState("is not in the primary pool"));
    expect(() => pool.prepareLoad(keysOf(1, 2))).toThrow(invalidState("is still being written"));
    expect(pool.pinnedBlocks).toBe(0);
  });

  it("refuses to release more pins than there are, and releases none then", () => {
    const pool = poolWith(3, [1, 2], policy);
    pool.prepareLoad(keysOf(1));
    for (const blocks of [[1, 2], [1, 1], [1, 9], [2]]) {
      expect(() => pool.completeLoad(keysOf(...blocks))).toThrow(invalidState("cannot be released"));
    }
    expect(pool.pinnedBlocks).toBe(1);
    pool.completeLoad(keysOf(1));
    expect(() => pool.completeLoad(keysOf(1))).toThrow(invalidState("exactly once"));
  });

  it("skips keys that are not being written when a store ends", () => {
    const pool = poolWith(3, [1], policy);
    pool.completeStore(keysOf(1, 7), false);
    expect(lookups(pool, 1, 7)).toEqual(["hit", "miss"]);
  });

  it("records one event for what was removed and one for what was stored, and gives each away once", () => {
    const pool = poolWith(2, [1, 2], policy, true);
    pool.prepareStore(keysOf(3, 4));
    pool.completeStore(keysOf(3), true);
    pool.completeStore(keysOf(4), false);
    expect(pool.takeEvents()).toEqual([
      { keys: keysOf(1, 2), medium: "CPU", removed: true },
      { keys: keysOf(3), medium: "CPU", removed: false },
    ]);
    expect(pool.takeEvents()).toEqual([]);
  });

  it("records nothing when events are off", () => {
    const pool = poolWith(1, [1], policy);
    pool.prepareStore(keysOf(2));
    expect(pool.takeEvents()).toEqual([]);
  });

  describe("slots that late I/O may still touch", () => {
    it("belong to no key and to no store until they are reclaimed, once", () => {
      const pool = poolWith(2, [], policy);
      pool.prepareStore(keysOf(1, 2));
      pool.completeStore(keysOf(2), true);
      const slots = pool.abandonStore(keysOf(1, 2, 9));
      expect([...slots]).toEqual([0]);
      expect(lookups(pool, 1, 2)).toEqual(["miss", "hit"]);
      expect([pool.quarantinedBlocks, pool.freeBlocks]).toEqual([1, 0]);
      expect([...(pool.prepareStore(keysOf(1))?.blockIds ?? [])]).toEqual([1]);
      pool.reclaimSlots(slots);
      expect(pool.freeBlocks).toBe(1);
      expect(() => pool.reclaimSlots(slots)).toThrow(invalidState("exactly once"));
    });

    it.each([[[0, 0]], [[0, 1]], [[0, -1]], [[0, 9]]])("are not reclaimed as %p", (slots) => {
      const pool = poolWith(2, [], policy);
      pool.prepareStore(keysOf(1));
      pool.abandonStore(keysOf(1));
      expect(() => pool.reclaimSlots(Int32Array.from(slots))).toThrow(invalidState("cannot be reclaimed"));
      expect([pool.quarantinedBlocks, pool.freeBlocks]).toEqual([1, 1]);
    });
  });

  describe("reset", () => {
    it("forgets all blocks and the order of slots, and records no event", () => {
      const pool = poolWith(3, [1, 2, 3], policy, true);
      pool.prepareStore(keysOf(4));
      pool.completeStore(keysOf(4), true);
      pool.takeEvents();
      expect(pool.reset()).toEqual([]);
      expect(lookups(pool, 1, 2, 3, 4)).toEqual(["miss", "miss", "miss", "miss"]);
      expect([pool.freeBlocks, pool.evictions, pool.takeEvents()]).toEqual([3, 1, []]);
      expect(pool.prepareStore(keysOf(4, 5, 6))).toMatchObject({ blockIds: Int32Array.of(0, 1, 2), evictedKeys: [] });
    });

    it("holds back what is in use, and says what that is", () => {
      const pool = poolWith(4, [1, 2, 3], policy);
      pool.prepareLoad(keysOf(2, 2));
      pool.prepareStore(keysOf(4));
      const inUse = pool.reset();
      expect(inUse).toEqual([
        { key: keysOf(2)[0], slot: 1, pins: 2 },
        { key: keysOf(4)[0], slot: 3, pins: -1 },
      ]);
      expect(lookups(pool, 2, 4)).toEqual(["miss", "miss"]);
      expect([...(pool.prepareStore(keysOf(5, 6))?.blockIds ?? [])]).toEqual([0, 2]);
      expect(pool.prepareStore(keysOf(7))).toBeNull();
      pool.reclaimSlots(Int32Array.of(3, 1));
      expect([...(pool.prepareStore(keysOf(7, 8))?.blockIds ?? [])].sort()).toEqual([1, 3]);
      expect(pool.freeBlocks).toBe(0);
    });

    it("hands no slot out twice when one is reclaimed before its turn", () => {
      const pool = poolWith(3, [], policy);
      pool.prepareStore(keysOf(1, 2, 3));
      pool.reset();
      pool.reclaimSlots(Int32Array.of(2));
      pool.prepareStore(keysOf(4));
      expect(pool.prepareStore(keysOf(5))).toBeNull();
      pool.reclaimSlots(Int32Array.of(0, 1));
      expect([...(pool.prepareStore(keysOf(5, 6))?.blockIds ?? [])].sort()).toEqual([0, 1]);
    });
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses to have %p blocks", (numBlocks) => {
    expect(() => new PrimaryTier({ numBlocks, evictionPolicy: policy, recordEvents: false })).toThrow(
      invalidState("positive number of blocks"),
    );
  });
});

function fail(): never {
  throw new Error("no such key");
}
