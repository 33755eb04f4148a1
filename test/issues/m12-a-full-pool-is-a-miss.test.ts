import { describe, expect, it } from "@jest/globals";
import { StepRig } from "../unit/orchestrator/step-rig.js";

describe("M12: when no slot can be freed, a secondary hit is a miss at once", () => {
  it("in the same tick and without a load; after a release the next request gets the promotion", async () => {
    const rig = new StepRig({ blocks: 2 });
    await rig.seed(9);
    rig.store("r", 1, 2);
    rig.releaseAll();
    rig.lookAll("r", 1, 2);
    rig.pin("r", 1, 2);
    for (let i = 0; i < 3; i++) {
      expect(rig.look(9, "a")).toBe("miss");
      rig.step();
    }
    expect(rig.tier.loads).toEqual([]);
    expect(rig.manager.hasPendingWork()).toBe(false);
    expect(rig.manager.getStats().primary.promotionAllocationFailures).toBe(1);
    rig.unpin("r", 2);
    expect(rig.look(9, "b")).toBe("hit_pending");
    rig.step();
    rig.releaseAll();
    rig.read("b", 9);
  });
});
