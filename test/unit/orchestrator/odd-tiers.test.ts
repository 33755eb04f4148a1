import { describe, expect, it } from "@jest/globals";
import type { StoreDetector } from "../../../src/contracts/backpressure.js";
import type { TierFigures } from "../../../src/contracts/secondary-tier-manager.js";
import type { JobResult, TransferJob } from "../../../src/contracts/transfer-job.js";
import { keyOf, keysOf, request, settle, StepRig } from "./step-rig.js";

/** A job of tier 0 that is out, and a second tier that is healthy. */
function withOpenStore(): StepRig {
  const rig = new StepRig({ tiers: 2 });
  rig.store("r", 1);
  return rig;
}

const idle = (rig: StepRig): boolean => rig.primary.pinnedBlocks === 0 && !rig.manager.jobs.hasCascades(99);

describe("A tier that breaks its contract", () => {
  it.each([
    ["no array", 5],
    ["a promise", Promise.resolve([])],
    ["nothing that names a job", [null, 7, {}, { jobId: "x" }]],
  ])("by reporting %s keeps no other tier from being heard", (_, report) => {
    const rig = withOpenStore();
    rig.tier.getFinishedJobs = () => report as unknown as JobResult[];
    rig.tiers[1]?.release();
    rig.step();
    expect(rig.manager.getStats().tiers[1]).toMatchObject({ activeCascades: 0, bytesWritten: 16 });
    expect(rig.log.some(({ level, message }) => level === "error" && message.includes("getFinishedJobs"))).toBe(true);
  });

  it.each([
    ["successfulKeys that are no array", { success: false, successfulKeys: new Set() }],
    ["success that is no boolean", { success: "false" }],
    ["its id as a string", { jobId: "0", success: true }],
  ])("by reporting %s has that job failed, and its blocks let go once it is drained", async (_, odd) => {
    const rig = withOpenStore();
    rig.tier.getFinishedJobs = () => [{ jobId: 0, ...odd } as unknown as JobResult];
    rig.tier.holdsDrains = false;
    rig.tiers[1]?.release();
    rig.step();
    rig.tier.getFinishedJobs = () => [];
    await new Promise((resolve) => setImmediate(resolve));
    expect(idle(rig)).toBe(true);
    expect(rig.manager.getStats().tiers[0]).toMatchObject({ cascadeFailures: 1, bytesWritten: 0 });
  });

  it("by amounts that are no amounts leaves the figures numbers", () => {
    const rig = withOpenStore();
    rig.tier.getFinishedJobs = () => [{ jobId: 0, success: true, transferBytes: Number.NaN }];
    rig.step();
    expect(rig.manager.getStats().tiers[0]?.bytesWritten).toBe(16);
  });

  it("by figures that are no numbers shows nobody what they are", () => {
    const rig = withOpenStore();
    rig.tier.getStats = () => ({ blocks: 3, url: "redis://me:secret@host" }) as unknown as TierFigures;
    expect(rig.manager.getStats().tiers[0]?.figures).toEqual({ blocks: 3 });
  });

  it("by changing a job's keys changes no other tier's job, and not what is known of its own", () => {
    const rig = new StepRig({ tiers: 2 });
    const jobs: TransferJob[] = [];
    for (const tier of rig.tiers) {
      const submit = tier.submitStore.bind(tier);
      tier.submitStore = (job) => {
        jobs.push(job);
        submit(job);
      };
    }
    rig.store("r", 1, 2);
    (jobs[0]?.keys as unknown[]).length = 0;
    expect(jobs[1]?.keys).toEqual(keysOf(1, 2));
    rig.releaseAll();
    expect(rig.primary.pinnedBlocks).toBe(0);
  });

  it("by ending a request from inside a submit does not get that request's slot to load into", () => {
    const rig = new StepRig({ blocks: 2 });
    rig.tier.answer = "hit";
    rig.manager.lookup(keyOf(1), request("a"));
    rig.manager.lookup(keyOf(2), request("b"));
    const submit = rig.tier.submitLoad.bind(rig.tier);
    rig.tier.submitLoad = (job) => {
      submit(job);
      rig.manager.onRequestFinished(request("b"));
    };
    rig.step();
    expect(rig.tier.loads).toEqual([keysOf(1)]);
    expect(rig.primary.freeBlocks).toBe(1);
  });

  it("by answering Retry without pending work is asked again all the same", () => {
    const rig = new StepRig();
    rig.tier.answer = "retry";
    rig.manager.lookup(keyOf(1), request("a"));
    rig.step();
    expect(rig.manager.hasPendingWork()).toBe(true);
    rig.step();
    expect(rig.manager.hasPendingWork()).toBe(false);
  });

  it("by a drainJobs that never ends is not waited for for ever by a reset, and its jobs count as unfinished", async () => {
    const rig = withOpenStore();
    rig.tier.drainJobs = () => new Promise<never>(() => {});
    rig.tiers[1]?.release();
    const resetting = rig.manager.resetCache({ tiers: true });
    await settle();
    rig.clock.advance(61);
    expect(await resetting).toMatchObject({
      tiers: [
        { cleared: false, unfinished: [0] },
        { cleared: true, unfinished: [] },
      ],
    });
  });

  it("by a detector that cannot be had stores as one without, and shows no pressure", () => {
    const rig = new StepRig();
    Object.defineProperty(rig.tier, "backpressureDetector", {
      get: () => {
        throw new Error("no detector");
      },
    });
    expect(rig.store("r", 1)).toBe(true);
    rig.releaseAll();
    expect(rig.manager.getStats().tiers[0]).toMatchObject({ bytesWritten: 16, pressure: null, storesDropped: 0 });
    expect(rig.log.some(({ level, message }) => level === "error" && message.includes("backpressureDetector"))).toBe(
      true,
    );
  });

  it("by a detector whose figures cannot be had keeps no other figure from being read", () => {
    const rig = new StepRig();
    const fail = (): never => {
      throw new Error("no figures");
    };
    rig.tier.detector = { isUnderPressure: fail, policy: { popStoresDropped: fail } } as unknown as StoreDetector;
    expect(rig.manager.getStats().tiers[0]).toMatchObject({ pressure: null, storesDropped: 0 });
  });

  it.each(["drainJobs", "shutdown"] as const)("by a %s that never ends is not waited for for ever", async (method) => {
    const rig = new StepRig({ tiers: 2 });
    rig.tier[method] = () => new Promise<never>(() => {});
    const closing = rig.manager.shutdown({ deadlineS: 5 });
    const settled = closing.catch((error: unknown) => error);
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      rig.clock.advance(20);
    }
    expect(await settled).toMatchObject({ code: "SHUTDOWN_FAILED" });
    expect(rig.tiers[1]?.calls).toContain("shutdown");
  });
});

describe("Clearing the tiers", () => {
  it("does not wait for ever for a clear that hangs, and leaves the tier alone until that has ended", async () => {
    const rig = new StepRig({ tiers: 2 });
    rig.tier.answer = "hit";
    let clear = (): void => {};
    rig.tier.clear = () => new Promise((resolve) => (clear = resolve));
    const resetting = rig.manager.resetCache({ tiers: true, deadlineS: 5 });
    await settle();
    rig.clock.advance(6);
    expect(await resetting).toMatchObject({ tiers: [{ cleared: false }, { cleared: true }] });
    expect(rig.manager.lookup(keyOf(1), request("a"))).toBe("miss");
    clear();
    await settle();
    expect(rig.manager.lookup(keyOf(1), request("b"))).toBe("hit_pending");
  });

  it("looks nothing up in a tier, and stores nothing into it, until it is cleared", async () => {
    const rig = new StepRig();
    rig.tier.answer = "hit";
    let clear = (): void => {};
    rig.tier.clear = () => new Promise((resolve) => (clear = resolve));
    const resetting = rig.manager.resetCache({ tiers: true });
    expect(rig.manager.lookup(keyOf(1), request("a"))).toBe("miss");
    rig.store("b", 2);
    expect(rig.tier.stores).toEqual([]);
    for (let i = 0; i < 10; i++) await Promise.resolve();
    clear();
    expect(await resetting).toEqual({ tiers: [{ index: 0, cleared: true, unfinished: [] }] });
    expect(rig.manager.lookup(keyOf(1), request("c"))).toBe("hit_pending");
  });
});
