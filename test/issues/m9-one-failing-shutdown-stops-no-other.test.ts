import { describe, expect, it } from "@jest/globals";
import { settle, StepRig } from "../unit/orchestrator/step-rig.js";

describe("M9: a tier that fails to shut down keeps no other from closing", () => {
  it("tries all, newest first and once, raises the error, and keeps the pool", async () => {
    const closed: number[] = [];
    const fault = new Error("B is stuck");
    const close = async (index: number): Promise<void> => {
      closed.push(index);
      if (index === 1) throw fault;
    };
    const rig = new StepRig({ tiers: 3, close });
    rig.store("r", 1);
    for (const tier of rig.tiers) tier.release();
    await expect(rig.manager.shutdown()).rejects.toMatchObject({
      code: "SHUTDOWN_FAILED",
      errors: [fault],
      cause: fault,
    });
    expect(closed).toEqual([2, 1, 0]);
    expect(rig.primary.residentBlocks).toBe(1);
    await rig.manager.shutdown();
    expect(closed).toEqual([2, 1, 0]);
  });

  it("also when it throws instead of rejecting, or cannot even drain", async () => {
    const closed: number[] = [];
    const rig = new StepRig({
      tiers: 2,
      close: (index) => {
        closed.push(index);
        throw new Error(`no ${index}`);
      },
    });
    rig.tier.drainJobs = () => Promise.reject(new Error("no drain"));
    const failed = await rig.manager.shutdown().catch((error: unknown) => error);
    expect(failed).toMatchObject({ errors: [new Error("no drain"), new Error("no 1"), new Error("no 0")] });
    expect(closed).toEqual([1, 0]);
  });

  it("and a second call waits for the first, without its error", async () => {
    const rig = new StepRig({ close: () => Promise.reject(new Error("no")) });
    const [first, second] = await Promise.allSettled([rig.manager.shutdown(), rig.manager.shutdown()]);
    expect([first.status, second.status]).toEqual(["rejected", "fulfilled"]);
  });

  it("but waits for what runs, in every tier at once, before the first is closed", async () => {
    const rig = new StepRig({ tiers: 2 });
    rig.store("r", 1);
    const closing = rig.manager.shutdown();
    rig.tiers[0]?.release();
    await settle();
    expect(rig.tiers.flatMap((tier) => tier.calls)).not.toContain("shutdown");
    rig.tiers[1]?.release();
    await closing;
    expect(rig.tiers.map((tier) => tier.calls.at(-1))).toEqual(["shutdown", "shutdown"]);
    expect(rig.manager.getStats().tiers.map(({ bytesWritten }) => bytesWritten)).toEqual([16, 16]);
  });
});
