import { describe, expect, it } from "@jest/globals";
import { createTestTiering } from "../../src/testing/create-test-tiering.js";
import { withTempFolder } from "../support/temp-folder.js";
import { bytesOf, configOf, keysOf as cacheKeys } from "../unit/cache/cache-rig.js";
import { keyOf, keysOf, settle, StepRig } from "../unit/orchestrator/step-rig.js";

describe("M8: a reset says what was cleared, and never reuses memory that is in use", () => {
  it("of everything leaves nothing to hit on fs, and of the pool alone says that fs was kept", async () => {
    await withTempFolder(async (folder) => {
      const { cache, manager, close } = await createTestTiering(configOf(4, [{ type: "fs", root_dir: folder }]));
      const keys = cacheKeys(1, 2);
      await cache.put(keys, [bytesOf(1), bytesOf(2)]);
      expect(await manager.resetCache()).toEqual({ tiers: [{ index: 0, cleared: false, unfinished: [] }] });
      expect(await cache.get(keys)).toEqual([bytesOf(1), bytesOf(2)]);
      expect(await manager.resetCache({ tiers: true })).toEqual({
        tiers: [{ index: 0, cleared: true, unfinished: [] }],
      });
      expect(await cache.get(keys)).toEqual([]);
      await close();
    });
  });

  it("with a hanging load returns its id at the deadline; the slot is out of use until it ends, and freed once", async () => {
    const rig = new StepRig({ blocks: 1 });
    await rig.seed(1);
    rig.look(1);
    rig.step();
    const [held] = rig.tier.held;
    const resetting = rig.manager.resetCache({ tiers: true, deadlineS: 5 });
    await settle();
    rig.clock.advance(5);
    const jobId = held?.job.jobId;
    expect(await resetting).toEqual({ tiers: [{ index: 0, cleared: false, unfinished: [jobId] }] });
    expect(rig.look(1)).toBe("miss");
    expect(rig.store("w", 2)).toBe(false);
    expect(rig.manager.getStats().primary.busyBlocks).toBe(1);
    rig.releaseAll();
    expect(rig.look(1)).toBe("miss");
    expect(rig.store("w", 2)).toBe(true);
    rig.releaseAll();
    rig.expectQuiet();
  });

  it("with a hanging store keeps its slot, whose bytes the tier still reads", async () => {
    const rig = new StepRig({ blocks: 2 });
    rig.store("r", 1);
    await rig.manager.resetCache({ deadlineS: 0 });
    expect(rig.look(1)).toBe("miss");
    // The key too: its slot is still in use.
    expect(rig.manager.prepareStore(keysOf(1, 2, 3), { reqId: "w" })).toBeNull();
    expect(rig.store("w", 1, 2)).toBe(true);
    expect(rig.primary.lookup(keyOf(1))).toBe("miss");
    rig.releaseAll();
    rig.finish("r");
    rig.finish("w");
    rig.expectQuiet();
  });

  it("with blocks that callers read or write lets them go on, and forgets the blocks", async () => {
    const rig = new StepRig({ blocks: 3 });
    rig.store("r", 1);
    rig.releaseAll();
    rig.look(1);
    rig.pin("r", 1);
    rig.prepare("w", 2);
    await rig.manager.resetCache();
    expect(rig.lookAll("q", 1, 2)).toEqual(["miss", "miss"]);
    rig.complete("w", 2);
    expect(rig.look(2, "q")).toBe("miss");
    rig.unpin("r", 1);
    rig.finish("w");
    rig.expectQuiet();
    expect(rig.tier.stores).toEqual([keysOf(1)]);
  });

  it("of a tier that cannot drain or clear says so, and resets the others", async () => {
    const rig = new StepRig({ tiers: 3 });
    rig.store("r", 1);
    const [first, second, third] = rig.tiers;
    third?.release();
    if (first !== undefined) first.drainJobs = () => Promise.reject(new Error("stuck"));
    if (second !== undefined) second.clear = () => Promise.reject(new Error("no"));
    second?.release();
    expect(await rig.manager.resetCache({ tiers: true, deadlineS: 0 })).toEqual({
      tiers: [
        { index: 0, cleared: false, unfinished: [0] },
        { index: 1, cleared: false, unfinished: [] },
        { index: 2, cleared: true, unfinished: [] },
      ],
    });
    expect(rig.log.map(({ level }) => level)).toEqual(["error", "error"]);
  });

  it("that finds a misreport finishes all the same, and then throws", async () => {
    const rig = new StepRig({ tiers: 2 });
    await rig.seed(1);
    rig.store("r", 2);
    rig.tier.extraResults.push({ jobId: rig.manager.jobs.lastId - 1, success: true, successfulKeys: keysOf(9) });
    rig.tiers[1]?.release();
    const reset = rig.manager.resetCache({ tiers: true, deadlineS: 0 });
    await expect(reset).rejects.toMatchObject({ code: "INVALID_STATE" });
    rig.tiers[0]?.release();
    rig.step();
    expect(rig.look(1)).toBe("miss");
    rig.finish("r");
    rig.expectQuiet();
  });
});
