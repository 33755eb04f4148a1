import { describe, expect, it } from "@jest/globals";
import { keysOf, request, StepRig } from "../unit/orchestrator/step-rig.js";

async function stalled(): Promise<StepRig> {
  const rig = new StepRig({ pendingDeadlineS: 5 });
  await rig.seed(1);
  for (const reqId of ["a", "b"]) expect(rig.look(1, reqId)).toBe("hit_pending");
  rig.step();
  rig.clock.advance(4.9);
  for (const reqId of ["a", "b"]) expect(rig.look(1, reqId)).toBe("hit_pending");
  rig.clock.advance(0.2);
  for (const reqId of ["a", "b"]) expect(rig.look(1, reqId)).toBe("miss");
  return rig;
}

describe("M13: with a deadline, what stays pending is a miss for those who waited", () => {
  it("and a late success is a hit for new requests, once and with nothing kept", async () => {
    const rig = await stalled();
    expect(rig.look(1, "late")).toBe("hit_pending");
    rig.finish("late");
    rig.clock.advance(3.9);
    rig.releaseAll();
    expect(rig.manager.getStats().primary).toMatchObject({ busyBlocks: 0, pendingDeadlines: 2 });
    expect(rig.look(1, "c")).toBe("hit");
    rig.read("c", 1);
    for (const reqId of ["a", "b", "c"]) rig.finish(reqId);
    rig.expectQuiet();
  });

  it("and a late failure frees the slot", async () => {
    const rig = await stalled();
    rig.tier.release(undefined, { success: false });
    rig.step();
    expect(rig.primary.freeBlocks).toBe(8);
    expect(rig.tier.loads).toHaveLength(1);
    rig.expectQuiet();
  });

  it("is counted from each request's own first look, and pins the slot all the while", async () => {
    const rig = new StepRig({ pendingDeadlineS: 5, blocks: 1 });
    await rig.seed(1);
    rig.look(1, "a");
    rig.step();
    rig.clock.advance(3);
    rig.look(1, "b");
    rig.clock.advance(2);
    expect([rig.look(1, "a"), rig.look(1, "b")]).toEqual(["miss", "hit_pending"]);
    expect(rig.store("w", 2)).toBe(false);
    rig.releaseAll();
    expect([rig.look(1, "a"), rig.look(1, "b")]).toEqual(["hit", "hit"]);
    rig.read("b", 1);
    rig.expectQuiet();
  });

  it("holds for a look-up that never resolves", () => {
    const rig = new StepRig({ pendingDeadlineS: 5 });
    rig.tier.answer = "retry";
    expect(rig.look(1)).toBe("retry");
    rig.clock.advance(5);
    expect(rig.look(1)).toBe("miss");
    const asked = rig.tier.lookups;
    for (let i = 0; i < 10; i++) expect(rig.look(1)).toBe("miss");
    expect(rig.tier.lookups).toBe(asked);
    expect(rig.look(1, "q")).toBe("retry");
  });

  it("holds for a block that another request is slow to write", () => {
    const rig = new StepRig({ pendingDeadlineS: 5 });
    rig.prepare("w", 1);
    expect(rig.look(1)).toBe("hit_pending");
    rig.clock.advance(5);
    expect(rig.look(1)).toBe("miss");
    rig.complete("w", 1);
    expect(rig.look(1)).toBe("hit");
  });

  it("starts anew when the wait was over in between", async () => {
    const rig = new StepRig({ pendingDeadlineS: 5, blocks: 1 });
    await rig.seed(1);
    rig.look(1);
    rig.step();
    rig.releaseAll();
    expect(rig.look(1)).toBe("hit");
    rig.read("r", 1);
    rig.clock.advance(100);
    rig.store("w", 2);
    rig.releaseAll();
    expect(rig.look(1)).toBe("hit_pending");
  });

  it("does not exist unless it is configured", async () => {
    const rig = new StepRig();
    await rig.seed(1);
    rig.look(1);
    rig.step();
    rig.clock.advance(1e6);
    expect(rig.look(1)).toBe("hit_pending");
    rig.manager.stopWaiting(keysOf(1), request());
    rig.releaseAll();
    rig.expectQuiet();
  });
});
