import { describe, expect, it } from "@jest/globals";
import { keyOf, keysOf, request, settle, StepRig } from "./step-rig.js";

describe("Promotions", () => {
  it("keep an arrived block for those who wait for it, until each of them has read it", async () => {
    const rig = new StepRig({ blocks: 2 });
    await rig.seed(1, 2, 3);
    rig.look(1, "a");
    rig.look(1, "b");
    rig.step();
    rig.releaseAll();
    rig.lookAll("c", 2, 3);
    expect(rig.lookAll("c", 2, 3)).toEqual(["hit_pending", "miss"]);
    rig.read("a", 1);
    expect(rig.look(3, "d")).toBe("miss");
    rig.read("b", 1);
    expect(rig.look(3, "d")).toBe("hit_pending");
  });

  it("of a finished request go on for those who wait too, and are cancelled when nobody does", async () => {
    const rig = new StepRig();
    await rig.seed(1, 2);
    rig.lookAll("a", 1, 2);
    rig.look(1, "b");
    rig.finish("a");
    expect(rig.tier.requestCalls).toEqual(["new a", "new b", "finished a"]);
    rig.step();
    expect(rig.tier.loads).toEqual([keysOf(1)]);
    rig.releaseAll();
    expect(rig.look(1, "b")).toBe("hit");
    expect(rig.primary.lookup(keyOf(2))).toBe("miss");
    rig.finish("b");
    rig.expectQuiet();
  });

  it("do not pass to a request that has given up in the meantime", async () => {
    const rig = new StepRig();
    await rig.seed(1);
    rig.look(1, "a");
    rig.look(1, "b");
    rig.manager.stopWaiting(keysOf(1), request("b"));
    rig.finish("a");
    rig.step();
    expect(rig.tier.loads).toEqual([]);
    rig.finish("b");
    rig.expectQuiet();
  });

  it("are not kept for a request that stopped waiting, but become readable", async () => {
    const rig = new StepRig();
    await rig.seed(1, 2);
    rig.lookAll("a", 1, 2);
    rig.step();
    rig.manager.stopWaiting(keysOf(1), request("a"));
    rig.releaseAll();
    rig.manager.stopWaiting(keysOf(2), request("a"));
    expect(rig.manager.getStats().primary.busyBlocks).toBe(0);
    expect(rig.lookAll("a", 1, 2)).toEqual(["hit", "hit"]);
  });

  it("that fail in part bring what arrived, and the rest is asked of the next tier", async () => {
    const rig = new StepRig({ tiers: 2 });
    await rig.seed(1, 2);
    rig.lookAll("r", 1, 2);
    rig.step();
    rig.tier.release(undefined, { success: false, successfulKeys: keysOf(2) });
    rig.step();
    expect(rig.lookAll("r", 1, 2)).toEqual(["hit_pending", "hit"]);
    rig.step();
    expect(rig.tiers.map((tier) => tier.loads)).toEqual([[keysOf(1, 2)], [keysOf(1)]]);
    rig.releaseAll();
    rig.read("r", 1, 2);
    const { tiers } = rig.manager.getStats();
    expect(tiers.map(({ promotionFailures, bytesRead }) => [promotionFailures, bytesRead])).toEqual([
      [1, 16],
      [0, 16],
    ]);
  });

  it("are not asked of a tier again that failed, until a store of ours puts the block there anew", async () => {
    const rig = new StepRig({ blocks: 1 });
    await rig.seed(1);
    rig.look(1);
    rig.step();
    rig.tier.release(undefined, { success: false });
    rig.step();
    expect(rig.look(1)).toBe("miss");
    rig.store("w", 1);
    rig.releaseAll();
    rig.store("w", 2);
    rig.releaseAll();
    expect(rig.look(1)).toBe("hit_pending");
    rig.step();
    rig.releaseAll();
    rig.read("r", 1);
  });

  it("forget a failure with the request", async () => {
    const rig = new StepRig();
    await rig.seed(1);
    rig.look(1);
    rig.step();
    rig.tier.release(undefined, { success: false });
    rig.step();
    expect(rig.look(1)).toBe("miss");
    rig.finish("r");
    expect(rig.look(1)).toBe("hit_pending");
  });

  it("keep slots out of use while late I/O may still write to them, and then free them once", async () => {
    const rig = new StepRig({ blocks: 1 });
    await rig.seed(1);
    rig.look(1);
    rig.step();
    const [held] = rig.tier.held;
    let end = (): void => {};
    const blocksReleased = new Promise<void>((resolve) => (end = resolve));
    rig.tier.extraResults.push({ jobId: held?.job.jobId ?? -1, success: false, blocksReleased });
    rig.step();
    expect(rig.look(1)).toBe("miss");
    expect(rig.store("w", 2)).toBe(false);
    expect(rig.manager.getStats().primary.busyBlocks).toBe(1);
    expect(rig.manager.hasPendingWork()).toBe(false);
    end();
    await settle();
    expect(rig.store("w", 2)).toBe(true);
  });

  it("that a tier throws at are failed, and their slots are free once none of its I/O is out", async () => {
    const rig = new StepRig({ blocks: 1 });
    await rig.seed(1);
    rig.tier.failOnSubmit = new Error("boom");
    rig.look(1);
    rig.step();
    expect(rig.manager.hasPendingWork()).toBe(false);
    expect(rig.look(1)).toBe("miss");
    expect(rig.store("w", 2)).toBe(false);
    await settle();
    expect(rig.store("w", 2)).toBe(true);
    expect(rig.log[0]).toMatchObject({ level: "error", fields: { error: "boom" } });
  });
});
