import { describe, expect, it } from "@jest/globals";
import { keyOf, keysOf, StepRig } from "../unit/orchestrator/step-rig.js";

const WAITING = ["a", "b", "c", "d"];
const blocksOf = (i: number): number[] => [0, 1, 2, 3].map((j) => 10 * (i + 1) + j);
const ALL = WAITING.flatMap((_, i) => blocksOf(i));

async function crowded(): Promise<StepRig> {
  const rig = new StepRig({ blocks: 8 });
  await rig.seed(...ALL);
  return rig;
}

describe("M1: what waiting requests promote is neither lost before it is read nor in the way of a running store", () => {
  it("promotes no block twice without a read in between, and stores the running request's blocks", async () => {
    const rig = await crowded();
    const promotions = new Map<string, number>();
    let isStored = false;
    for (let step = 0; step < 20; step++) {
      WAITING.forEach((reqId, i) => rig.lookAll(reqId, ...blocksOf(i)));
      if (step === 4) expect(rig.primary.availableBlocks).toBe(0);
      if (step >= 4 && !isStored) isStored = rig.store("running", 1, 2);
      rig.releaseAll();
    }
    for (const key of rig.tier.loads.flat()) promotions.set(key, (promotions.get(key) ?? 0) + 1);
    expect(Math.max(...promotions.values())).toBe(1);
    // The 8 that fit at first, and 2 more once the running request's blocks were idle.
    expect(promotions.size).toBe(10);
    expect(isStored).toBe(true);
  });

  it("takes the room from the newest waiting request, from the tail of its prefix, and it is a miss for it", async () => {
    const rig = await crowded();
    rig.lookAll("a", ...blocksOf(0));
    rig.lookAll("b", ...blocksOf(1));
    rig.step();
    rig.releaseAll();
    expect(rig.store("running", 1, 2)).toBe(true);
    rig.releaseAll();
    expect(rig.lookAll("a", ...blocksOf(0))).toEqual(["hit", "hit", "hit", "hit"]);
    expect(rig.lookAll("b", ...blocksOf(1))).toEqual(["hit", "hit", "miss", "miss"]);
    rig.step();
    expect(rig.tier.loads.flat()).toHaveLength(8);
    rig.read("a", ...blocksOf(0));
    rig.read("b", 20, 21);
  });

  it("lets every request finish in turn: a read makes room for the next one's promotions", async () => {
    const rig = await crowded();
    for (const [i, reqId] of WAITING.entries()) {
      rig.lookAll(reqId, ...blocksOf(i));
      rig.step();
      rig.releaseAll();
      rig.read(reqId, ...blocksOf(i));
      rig.finish(reqId);
    }
    expect(rig.tier.loads.map((keys) => keys.length)).toEqual([4, 4, 4, 4]);
    rig.expectQuiet();
  });

  it("lets go of what was kept when the waiting request is cancelled", async () => {
    const rig = await crowded();
    rig.lookAll("a", ...blocksOf(0));
    rig.lookAll("b", ...blocksOf(1));
    rig.step();
    rig.releaseAll();
    expect(rig.primary.availableBlocks).toBe(0);
    rig.finish("a");
    expect(rig.primary.availableBlocks).toBe(4);
    expect(rig.lookAll("c", ...blocksOf(2))).toEqual(["hit_pending", "hit_pending", "hit_pending", "hit_pending"]);
    rig.finish("b");
    rig.finish("c");
    rig.expectQuiet();
  });

  it("never takes a block that a reader has pinned, or that the store itself names", async () => {
    const rig = await crowded();
    rig.lookAll("a", ...blocksOf(0));
    rig.lookAll("b", ...blocksOf(1));
    rig.step();
    rig.releaseAll();
    rig.pin("a", ...blocksOf(0));
    expect(rig.manager.prepareStore(keysOf(20, 21, 1, 2, 3), { reqId: "running" })).toBeNull();
    expect(rig.manager.prepareStore(keysOf(20, 21, 1, 2), { reqId: "running" })?.evictedKeys).toHaveLength(2);
    expect([20, 21].map((n) => rig.primary.lookup(keyOf(n)))).toEqual(["hit", "hit"]);
  });
});
