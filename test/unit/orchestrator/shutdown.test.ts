import { describe, expect, it } from "@jest/globals";
import { keyOf, keysOf, request, settle, StepRig } from "./step-rig.js";

describe("TieringOffloadingManager.shutdown", () => {
  it("refuses calls from then on, but what is out can be given back", async () => {
    const rig = new StepRig({ tiers: 0 });
    rig.store("r", 1);
    rig.look(1);
    rig.pin("r", 1);
    rig.prepare("r", 2);
    await rig.manager.shutdown();
    const calls = [
      () => rig.look(1),
      () => rig.manager.prepareLoad(keysOf(1), request()),
      () => rig.manager.prepareStore(keysOf(3), request()),
      () => rig.manager.onNewRequest(request()),
    ];
    for (const call of calls) expect(call).toThrow(expect.objectContaining({ code: "CLOSED" }));
    await expect(rig.manager.resetCache()).rejects.toMatchObject({ code: "CLOSED" });
    rig.step();
    rig.unpin("r", 1);
    rig.complete("r", 2);
    rig.finish("r");
    rig.expectQuiet();
    expect(rig.manager.isResident(keyOf(2))).toBe(false);
  });

  it("tells a closed tier of no request", async () => {
    const rig = new StepRig();
    rig.prepare("r", 1);
    await rig.manager.shutdown();
    rig.complete("r", 1);
    rig.finish("r");
    expect(rig.tier.calls).toEqual(["new r", "shutdown"]);
    expect(rig.tier.submitted).toEqual([]);
  });

  it("waits for running transfers up to its deadline, and closing the tiers ends the rest", async () => {
    const rig = new StepRig();
    rig.store("r", 1);
    const done = rig.manager.shutdown({ deadlineS: 5 });
    await settle();
    expect(rig.tier.calls).not.toContain("shutdown");
    rig.clock.advance(5);
    await done;
    expect(rig.tier.calls).toContain("shutdown");
    rig.expectQuiet();
    expect(rig.manager.getStats().tiers[0]).toMatchObject({ cascadeFailures: 1 });
  });

  it("never submits what was queued or parked, and frees its slots", async () => {
    const rig = new StepRig();
    await rig.seed(1);
    rig.look(1);
    await rig.manager.shutdown();
    expect(rig.tier.loads).toEqual([]);
    rig.expectQuiet();
  });

  it("survives late I/O that ends after a reset and after the shutdown", async () => {
    const rig = new StepRig();
    await rig.seed(1, 2);
    const ends: (() => void)[] = [];
    const late = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
    rig.lookAll("r", 1, 2);
    rig.store("w", 3);
    rig.step();
    for (const { job } of rig.tier.held) {
      rig.tier.extraResults.push({ jobId: job.jobId, success: false, blocksReleased: late() });
    }
    rig.step();
    rig.clock.advance(0);
    await rig.manager.resetCache({ deadlineS: 0 });
    const closing = rig.manager.shutdown({ deadlineS: 0 });
    await closing;
    expect(rig.manager.getStats().primary.busyBlocks).toBe(3);
    for (const end of ends) end();
    await settle();
    rig.expectQuiet();
  });
});
