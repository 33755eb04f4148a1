import { describe, expect, it } from "@jest/globals";
import { createTestTiering } from "../../src/testing/create-test-tiering.js";
import { withTempFolder } from "../support/temp-folder.js";
import { bytesOf, configOf, keysOf as cacheKeys } from "../unit/cache/cache-rig.js";
import { StepRig } from "../unit/orchestrator/step-rig.js";

const TEN = Array.from({ length: 10 }, (_, i) => i + 1);

describe("M16: hits are what is really to be had", () => {
  it("of 10 secondary hits with 4 free slots, 4 are promoted and 6 are misses, and the figures add up", async () => {
    const rig = new StepRig({ blocks: 4 });
    await rig.seed(...TEN);
    const first = rig.lookAll("r", ...TEN);
    expect(first).toEqual([...Array<string>(4).fill("hit_pending"), ...Array<string>(6).fill("miss")]);
    rig.step();
    rig.releaseAll();
    expect(rig.lookAll("r", ...TEN)).toEqual([...Array<string>(4).fill("hit"), ...Array<string>(6).fill("miss")]);
    const { primary, tiers } = rig.manager.getStats();
    expect(tiers[0]).toMatchObject({ queries: 10, hits: 10, bytesRead: 64 });
    expect(primary.promotionAllocationFailures).toBe(6);
  });

  it("after a rejection nothing is announced as hit", async () => {
    const rig = new StepRig({ blocks: 4 });
    await rig.seed(...TEN);
    rig.lookAll("r", ...TEN);
    rig.step();
    rig.tier.release(undefined, { success: false });
    rig.step();
    expect(rig.lookAll("r", 1, 2, 3, 4)).toEqual(Array<string>(4).fill("miss"));
  });

  it("a lease over fs counts what it holds", async () => {
    await withTempFolder(async (folder) => {
      const { cache, close } = await createTestTiering(configOf(4, [{ type: "fs", root_dir: folder }]));
      for (const n of TEN) {
        await cache.put(cacheKeys(n), [bytesOf(n)]);
        await cache.flush();
      }
      await cache.put(cacheKeys(20, 21, 22, 23), [20, 21, 22, 23].map(bytesOf));
      await cache.flush();
      const lease = await cache.acquire(cacheKeys(...TEN));
      expect([lease.hits, lease.blocks.length, lease.sources]).toEqual([4, 4, Array<string>(4).fill("1:fs")]);
      expect(lease.blocks.map((block) => new Uint8Array(block))).toEqual([1, 2, 3, 4].map(bytesOf));
      lease.release();
      await close();
    });
  });
});
