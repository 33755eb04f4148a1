import { describe, expect, it } from "@jest/globals";
import { StepRig } from "../unit/orchestrator/step-rig.js";

describe("A1: a tier that goes on calling a torn block a hit is not asked for it again and again", () => {
  it("is one load for two live requests, in 100 polls, and a hit again once it is stored anew", async () => {
    const rig = new StepRig({ blocks: 2 });
    await rig.seed(1);
    for (const reqId of ["a", "b"]) expect(rig.look(1, reqId)).toBe("hit_pending");
    rig.step();
    rig.tier.release(undefined, { success: false });
    rig.step();
    for (let i = 0; i < 100; i++) {
      expect([rig.look(1, "a"), rig.look(1, "b")]).toEqual(["miss", "miss"]);
      rig.step();
    }
    expect(rig.tier.loads).toHaveLength(1);

    rig.store("w", 1);
    rig.releaseAll();
    rig.store("w", 2, 3);
    rig.releaseAll();
    expect([rig.look(1, "a"), rig.look(1, "new")]).toEqual(["hit_pending", "hit_pending"]);
    rig.step();
    rig.releaseAll();
    rig.read("a", 1);
    expect(rig.tier.loads).toHaveLength(2);
  });

  it("is asked on behalf of a request that comes after the others are gone", async () => {
    const rig = new StepRig();
    await rig.seed(1);
    rig.look(1, "a");
    rig.step();
    rig.tier.release(undefined, { success: false });
    rig.step();
    rig.finish("a");
    expect(rig.look(1, "b")).toBe("hit_pending");
  });
});
