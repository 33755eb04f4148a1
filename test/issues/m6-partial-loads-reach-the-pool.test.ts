import { describe, expect, it } from "@jest/globals";
import { keyOf, keysOf, StepRig } from "../unit/orchestrator/step-rig.js";

async function loading(): Promise<{ rig: StepRig; jobId: number }> {
  const rig = new StepRig();
  await rig.seed(1, 2, 3);
  rig.lookAll("r", 1, 2, 3);
  rig.step();
  return { rig, jobId: rig.tier.held[0]?.job.jobId ?? -1 };
}

describe("M6: of a load that fails in part, the pool keeps what arrived and nothing else", () => {
  it("with [k1, k3] reported: both are hits with their bytes, k2 is gone and its slot free", async () => {
    const { rig, jobId } = await loading();
    rig.tier.release(jobId, { success: false, successfulKeys: keysOf(1, 3) });
    rig.step();
    expect(rig.lookAll("r", 1, 2, 3)).toEqual(["hit", "miss", "hit"]);
    rig.read("r", 1, 3);
    expect(rig.primary.freeBlocks).toBe(6);
    rig.finish("r");
    rig.expectQuiet();
  });

  it("with an empty list, or none: all have failed", async () => {
    for (const successfulKeys of [{ successfulKeys: [] }, {}]) {
      const { rig, jobId } = await loading();
      rig.tier.extraResults.push({ jobId, success: false, ...successfulKeys });
      rig.step();
      expect(rig.lookAll("r", 1, 2, 3)).toEqual(["miss", "miss", "miss"]);
      expect(rig.primary.freeBlocks).toBe(8);
    }
  });

  it("with a key that the job does not have: the step throws, and nothing has changed", async () => {
    const { rig, jobId } = await loading();
    rig.store("w", 7);
    rig.tier.extraResults.push(
      { jobId, success: false, successfulKeys: keysOf(1, 7) },
      { jobId: jobId + 1, success: true },
    );
    expect(() => rig.step()).toThrow(expect.objectContaining({ code: "INVALID_STATE" }));
    expect([1, 2, 3].map((n) => rig.primary.refCount(keyOf(n)))).toEqual([-1, -1, -1]);
    // What else was reported in that step has been taken in.
    expect(rig.primary.refCount(keyOf(7))).toBe(0);
    rig.step();
    rig.tier.release(jobId);
    rig.step();
    rig.read("r", 1, 2, 3);
    rig.finish("r");
    rig.expectQuiet();
  });

  it("and its driver may give such a job up, as failed, and with its late I/O", async () => {
    const { rig, jobId } = await loading();
    let end = (): void => {};
    const blocksReleased = new Promise<void>((resolve) => (end = resolve));
    rig.tier.extraResults.push({ jobId, success: false, successfulKeys: keysOf(9), blocksReleased });
    expect(() => rig.step()).toThrow(/foreign key/);
    rig.manager.failMisreportedJobs();
    expect(rig.lookAll("r", 1, 2, 3)).toEqual(["miss", "miss", "miss"]);
    expect(rig.manager.getStats().primary.busyBlocks).toBe(3);
    end();
    await blocksReleased;
    await Promise.resolve();
    rig.expectQuiet();
  });
});
