import { describe, expect, it } from "@jest/globals";
import { keyOf, keysOf, request, StepRig } from "./step-rig.js";

describe("TieringOffloadingManager.prepareStore", () => {
  it("gives slots to what is new, and an empty plan when nothing is", () => {
    const rig = new StepRig();
    rig.store("a", 1);
    rig.prepare("b", 2);
    expect(rig.manager.prepareStore(keysOf(1, 3, 2), request("c"))).toMatchObject({ keysToStore: keysOf(3) });
    expect(rig.manager.prepareStore(keysOf(1, 2, 3), request("c"))).toMatchObject({ keysToStore: [], evictedKeys: [] });
  });

  it("is null, with nothing evicted, when there is no room; a retried refusal counts once", () => {
    const rig = new StepRig({ blocks: 2, tiers: 0 });
    rig.store("a", 1, 2);
    rig.look(1, "a");
    rig.pin("a", 1);
    for (let i = 0; i < 3; i++) expect(rig.manager.prepareStore(keysOf(3, 4), request("b"))).toBeNull();
    expect(rig.lookAll("a", 1, 2)).toEqual(["hit", "hit"]);
    expect(rig.manager.getStats().primary).toMatchObject({ storesRefused: 1, evictions: 0 });
  });

  it("sees what finished before it in the same step: unpinned blocks can go", () => {
    const rig = new StepRig({ blocks: 1 });
    rig.store("a", 1);
    rig.step();
    expect(rig.manager.prepareStore(keysOf(2), request("b"))).toBeNull();
    rig.step();
    rig.tier.release();
    expect(rig.manager.prepareStore(keysOf(2), request("b"))).toMatchObject({ evictedKeys: keysOf(1) });
  });
});

describe("TieringOffloadingManager.completeStore", () => {
  it("makes the blocks readable and offers them to every tier, each with a pin of its own", () => {
    const rig = new StepRig({ tiers: 2 });
    rig.store("r", 1, 2);
    expect(rig.tiers.map((tier) => tier.stores)).toEqual([[keysOf(1, 2)], [keysOf(1, 2)]]);
    expect(rig.primary.refCount(keyOf(1))).toBe(2);
    rig.releaseAll();
    expect(rig.primary.refCount(keyOf(1))).toBe(0);
    expect(rig.manager.getStats().tiers).toMatchObject([{ bytesWritten: 32 }, { bytesWritten: 32 }]);
  });

  it("takes a failed write back, and offers nothing", () => {
    const rig = new StepRig();
    rig.prepare("r", 1);
    rig.manager.completeStore(keysOf(1), request(), false);
    expect(rig.look(1)).toBe("miss");
    expect(rig.tier.stores).toEqual([]);
    rig.expectQuiet();
  });

  it("may come in parts, and skips what is not being written", () => {
    const rig = new StepRig();
    rig.prepare("r", 1, 2);
    rig.complete("r", 2);
    expect(rig.lookAll("q", 1, 2)).toEqual(["hit_pending", "hit"]);
    rig.complete("r", 1, 2, 7);
    expect(rig.tier.stores).toEqual([keysOf(2), keysOf(1)]);
  });

  it("refuses what another request writes, or a promotion, and changes nothing", async () => {
    const rig = new StepRig();
    await rig.seed(9);
    rig.prepare("a", 1);
    rig.prepare("b", 2);
    rig.look(9, "b");
    for (const keys of [keysOf(2, 1), keysOf(2, 9)]) {
      expect(() => rig.manager.completeStore(keys, request("b"))).toThrow(
        expect.objectContaining({ code: "INVALID_STATE" }),
      );
    }
    expect(() => rig.manager.completeStore(keysOf(1), request("nobody"))).toThrow(/somebody else is writing it/);
    expect(rig.lookAll("c", 1, 2, 9)).toEqual(["hit_pending", "hit_pending", "hit_pending"]);
    expect(rig.tier.stores).toEqual([]);
  });
});

describe("TieringOffloadingManager.completeLoad", () => {
  it("refuses a second release, even while a tier has pinned the block", () => {
    const rig = new StepRig();
    rig.store("r", 1, 2);
    rig.pin("r", 1, 2);
    rig.unpin("r", 2);
    expect(() => rig.unpin("r", 1, 2)).toThrow(expect.objectContaining({ code: "INVALID_STATE" }));
    expect(() => rig.unpin("r", 1, 1)).toThrow(/not pinned/);
    rig.unpin("r", 1);
    expect(() => rig.unpin("r", 1)).toThrow(/not pinned/);
    expect(rig.primary.refCount(keyOf(1))).toBe(1);
    rig.releaseAll();
    rig.expectQuiet();
  });

  it("changes nothing when it refuses, also for blocks that a reset left with their readers", async () => {
    const rig = new StepRig({ blocks: 2 });
    rig.store("r", 1, 2);
    rig.releaseAll();
    rig.pin("r", 1);
    await rig.manager.resetCache();
    expect(() => rig.unpin("r", 1, 2)).toThrow(/not pinned/);
    expect(rig.manager.getStats().primary.busyBlocks).toBe(1);
    rig.unpin("r", 1);
    rig.expectQuiet();
  });

  it("knows no pins of a promoted block that waits for its reader", async () => {
    const rig = new StepRig();
    await rig.seed(1);
    rig.look(1);
    rig.step();
    rig.releaseAll();
    expect(() => rig.unpin("r", 1)).toThrow(/not pinned/);
    rig.read("r", 1);
    rig.expectQuiet();
  });
});
