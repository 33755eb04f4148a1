import { describe, expect, it } from "@jest/globals";
import { keysOf, request, StepRig } from "./step-rig.js";

describe("A request", () => {
  it("need not be announced: its first call does it, once", () => {
    const rig = new StepRig();
    rig.look(1);
    rig.look(2);
    rig.manager.onNewRequest(request());
    expect(rig.tier.requestCalls).toEqual(["new r"]);
  });

  it("that nobody knows can finish, and a second finish is ignored", () => {
    const rig = new StepRig();
    rig.finish("nobody");
    rig.look(1);
    rig.finish("r");
    rig.finish("r");
    expect(rig.tier.requestCalls).toEqual(["new r", "finished r"]);
  });

  it("that goes on after its finish is told of once, at its last", () => {
    const rig = new StepRig();
    rig.prepare("r", 1);
    rig.finish("r");
    rig.prepare("r", 2);
    rig.complete("r", 1, 2);
    expect(rig.tier.requestCalls).toEqual(["new r", "store r"]);
    rig.finish("r");
    expect(rig.tier.requestCalls).toEqual(["new r", "store r", "finished r"]);
  });

  it("that goes on after its finish waits and reads like any other", async () => {
    const rig = new StepRig({ blocks: 3 });
    await rig.seed(1);
    rig.prepare("r", 2);
    rig.look(1, "r");
    rig.finish("r");
    expect(rig.look(1, "r")).toBe("hit_pending");
    rig.step();
    rig.releaseAll();
    expect(rig.manager.getStats().primary.busyBlocks).toBe(2);
    rig.read("r", 1);
    rig.complete("r", 2);
    rig.finish("r");
    rig.releaseAll();
    rig.expectQuiet();
  });

  it("keeps the blocks that it writes through a finish, until it completes them", () => {
    const rig = new StepRig();
    rig.prepare("r", 1, 2);
    rig.finish("r");
    rig.complete("r", 1);
    expect(rig.tier.requestCalls).toEqual(["new r", "store r"]);
    rig.manager.completeStore(keysOf(2), request(), false);
    expect(rig.tier.requestCalls).toEqual(["new r", "store r", "finished r"]);
  });
});

describe("A step", () => {
  it("submits promotions, then what was parked, then tells each tier", async () => {
    const rig = new StepRig();
    await rig.seed(1);
    rig.tier.policy = "request_level";
    rig.prepare("w", 2);
    rig.prepare("r", 2);
    rig.look(1, "r");
    rig.complete("w", 2);
    rig.tier.calls.length = 0;
    rig.step();
    expect(rig.tier.calls).toEqual(["load r", "store r", "step"]);
  });

  it("touches in the pool and in every tier, the first key as the most recent", () => {
    const rig = new StepRig({ blocks: 3, tiers: 2 });
    rig.store("r", 1, 2, 3);
    rig.releaseAll();
    rig.manager.touch(keysOf(1, 2), request());
    expect(rig.tiers.map((tier) => tier.touched)).toEqual([[keysOf(1, 2)], [keysOf(1, 2)]]);
    expect(rig.manager.prepareStore(keysOf(4, 5), request())?.evictedKeys).toEqual(keysOf(3, 2));
  });

  it("gathers events of the pool first, then of the tiers in order", () => {
    const rig = new StepRig({ tiers: 2, recordEvents: true });
    const [first, second] = rig.tiers;
    second?.events.push({ keys: keysOf(8), medium: "STORAGE", removed: false });
    first?.events.push({ keys: keysOf(9), medium: "CPU", removed: true });
    rig.store("r", 1);
    expect(rig.manager.takeEvents()).toMatchObject([
      { keys: keysOf(1), medium: "CPU", removed: false },
      { keys: keysOf(9) },
      { keys: keysOf(8) },
    ]);
    expect(rig.manager.takeEvents()).toEqual([]);
  });

  it("has work pending exactly while a job, a queued promotion or a parked block is", async () => {
    const rig = new StepRig();
    await rig.seed(1);
    expect(rig.manager.hasPendingWork()).toBe(false);
    rig.look(1);
    expect([rig.manager.hasPendingWork(), rig.manager.hasTransfers]).toEqual([true, true]);
    rig.step();
    rig.releaseAll();
    expect([rig.manager.hasPendingWork(), rig.manager.hasTransfers]).toEqual([false, false]);
  });
});

describe("A tier that reports against its contract", () => {
  it("is ignored, and told so in the log, when it knows no such job or reports one twice", () => {
    const rig = new StepRig({ tiers: 2 });
    rig.store("r", 1);
    rig.tiers[1]?.extraResults.push({ jobId: 0, success: true }, { jobId: 77, success: true });
    rig.tier.release();
    rig.tier.extraResults.push({ jobId: 0, success: false });
    rig.step();
    expect(rig.log.map(({ message }) => message)).toEqual([
      expect.stringContaining("1:held reported job 0 against its contract: unknown job"),
      expect.stringContaining("2:held reported job 0 against its contract: unknown job"),
      expect.stringContaining("2:held reported job 77 against its contract: unknown job"),
    ]);
    expect(rig.primary.pinnedBlocks).toBe(1);
  });

  it("cannot end the job of another tier", () => {
    const rig = new StepRig({ tiers: 2 });
    rig.store("r", 1);
    rig.tier.extraResults.push({ jobId: 1, success: true });
    rig.step();
    expect(rig.log).toMatchObject([{ message: expect.stringContaining("job of another tier") }]);
    rig.releaseAll();
    rig.expectQuiet();
  });
});
