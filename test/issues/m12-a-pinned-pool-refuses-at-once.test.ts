import { describe, expect, it } from "@jest/globals";
import { keysOf, poolWith } from "../unit/primary/fixtures.js";

describe.each(["lru", "arc"] as const)(
  "M12: a pool of pinned blocks has no room, and says so at once (%s)",
  (policy) => {
    it("refuses while all is pinned, and gives room with the first release", () => {
      const pool = poolWith(3, [1, 2, 3], policy);
      pool.prepareLoad(keysOf(1, 2, 3));
      expect(pool.availableBlocks).toBe(0);
      expect(pool.prepareStore(keysOf(4))).toBeNull();
      expect(keysOf(4).map((key) => pool.lookup(key))).toEqual(["miss"]);
      pool.completeLoad(keysOf(2));
      expect(pool.prepareStore(keysOf(4))).toMatchObject({ keysToStore: keysOf(4), evictedKeys: keysOf(2) });
    });

    it("refuses while the rest is being written", () => {
      const pool = poolWith(2, [1], policy);
      pool.prepareLoad(keysOf(1));
      pool.prepareStore(keysOf(2));
      expect(pool.prepareStore(keysOf(3))).toBeNull();
      pool.completeStore(keysOf(2), false);
      expect(pool.prepareStore(keysOf(3))).toMatchObject({ evictedKeys: [] });
    });
  },
);
