import { describe, expect, it } from "@jest/globals";
import { keysOf, StepRig } from "../unit/orchestrator/step-rig.js";

describe("X1: figures count what happened, not how often somebody asked", () => {
  it("10 polls of one pending look-up are 1 query and 1 hit", async () => {
    const rig = new StepRig();
    await rig.seed(1);
    rig.tier.answer = "retry";
    for (let i = 0; i < 5; i++) expect(rig.look(1)).toBe("retry");
    rig.tier.answer = undefined;
    for (let i = 0; i < 5; i++) expect(rig.look(1)).toBe("hit_pending");
    rig.step();
    rig.releaseAll();
    for (let i = 0; i < 5; i++) expect(rig.look(1)).toBe("hit");
    expect(rig.manager.getStats()).toMatchObject({
      primary: { queries: 1, hits: 0 },
      tiers: [{ queries: 1, hits: 1 }],
    });
  });

  it("another request's look-up of the same block is its own", async () => {
    const rig = new StepRig();
    await rig.seed(1);
    for (const reqId of ["a", "b", "a", "b"]) rig.look(1, reqId);
    expect(rig.manager.getStats()).toMatchObject({
      primary: { queries: 2, hits: 1 },
      tiers: [{ queries: 1, hits: 1 }],
    });
  });

  it("bytes written are those the tier says it wrote: a block it held already counts 0", () => {
    const rig = new StepRig();
    rig.store("r", 1, 2);
    rig.tier.extraResults.push({ jobId: 0, success: true, transferBytes: 0 });
    rig.step();
    expect(rig.tier.stores).toEqual([keysOf(1, 2)]);
    expect(rig.manager.getStats().tiers[0]).toMatchObject({ bytesWritten: 0, cascadeFailures: 0 });
  });
});
