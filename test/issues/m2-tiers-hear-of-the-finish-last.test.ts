import { describe, expect, it } from "@jest/globals";
import { keysOf, request, StepRig } from "../unit/orchestrator/step-rig.js";

describe("M2: a tier hears that a request is finished once, after the last submit for it", () => {
  it("when the finish comes while a store is in flight", () => {
    const rig = new StepRig({ tiers: 2 });
    rig.prepare("r", 1);
    rig.finish("r");
    rig.complete("r", 1);
    rig.finish("r");
    for (const tier of rig.tiers) expect(tier.requestCalls).toEqual(["new r", "store r", "finished r"]);
  });

  it("at once when nothing is pending, though its cascades still run", () => {
    const rig = new StepRig();
    rig.store("r", 1);
    rig.finish("r");
    expect(rig.tier.requestCalls).toEqual(["new r", "store r", "finished r"]);
    expect(rig.tier.held).toHaveLength(1);
    rig.releaseAll();
    rig.expectQuiet();
  });

  it("when the store in flight fails", () => {
    const rig = new StepRig();
    rig.prepare("r", 1);
    rig.finish("r");
    rig.manager.completeStore(keysOf(1), request(), false);
    expect(rig.tier.requestCalls).toEqual(["new r", "finished r"]);
  });

  it("when the last of several stores completes, whichever that is", () => {
    const rig = new StepRig();
    rig.prepare("r", 1);
    rig.prepare("r", 2);
    rig.finish("r");
    rig.complete("r", 2);
    rig.complete("r", 1);
    expect(rig.tier.requestCalls).toEqual(["new r", "store r", "store r", "finished r"]);
  });

  it("and is sent no promotion that was only queued", async () => {
    const rig = new StepRig();
    await rig.seed(1);
    rig.look(1, "r");
    rig.finish("r");
    rig.step();
    expect(rig.tier.requestCalls).toEqual(["new r", "finished r"]);
    rig.expectQuiet();
  });

  it("and a promotion that is out still arrives", async () => {
    const rig = new StepRig();
    await rig.seed(1);
    rig.look(1, "r");
    rig.step();
    rig.finish("r");
    rig.releaseAll();
    expect(rig.tier.requestCalls).toEqual(["new r", "load r", "finished r"]);
    expect(rig.look(1, "q")).toBe("hit");
    rig.expectQuiet();
  });

  it("when a reset drops what was parked for it", async () => {
    const rig = new StepRig();
    rig.tier.policy = "request_level";
    rig.prepare("w", 1);
    rig.prepare("r", 1);
    rig.finish("r");
    await rig.manager.resetCache();
    expect(rig.tier.requestCalls).toEqual(["new w", "new r", "finished r"]);
  });
});
