import { describe, expect, it } from "@jest/globals";
import { BackpressureDetector } from "../../../src/backpressure/backpressure-detector.js";
import { DropStorePolicy } from "../../../src/backpressure/drop-store-policy.js";
import { keyOf, keysOf, request, StepRig } from "./step-rig.js";

/** Under pressure when the test says so; writes down what it hears. */
class ScriptedDetector extends BackpressureDetector {
  pressured = false;
  fault: Error | undefined;
  readonly heard: string[] = [];

  override isUnderPressure(): boolean {
    return this.pressured;
  }
  override update(submitTime: number, bytes: number): void {
    if (this.fault !== undefined) throw this.fault;
    this.heard.push(`update ${submitTime} ${bytes}`);
  }
  override onStoreCompleted(): void {}
  override onStoreFailed(): void {
    this.heard.push("failed");
  }
  override reset(): void {
    this.heard.push("reset");
    this.policy.reset();
  }
  override get stats(): Record<string, number> {
    return { answer: 42 };
  }
}

function pressuredRig(tiers = 1): { rig: StepRig; detector: ScriptedDetector } {
  const rig = new StepRig({ tiers });
  const detector = new ScriptedDetector({}, new DropStorePolicy({}), rig.clock);
  rig.tier.detector = detector;
  return { rig, detector };
}

describe("Cascades", () => {
  it("to a tier under pressure are refused before anything is pinned or numbered, and counted", () => {
    const { rig, detector } = pressuredRig(2);
    detector.pressured = true;
    rig.store("r", 1, 2);
    expect(rig.tiers.map((tier) => tier.stores)).toEqual([[], [keysOf(1, 2)]]);
    expect(rig.tiers[1]?.submitted[0]?.job.jobId).toBe(0);
    expect(rig.primary.refCount(keyOf(1))).toBe(1);
    expect(rig.look(1)).toBe("hit");
    for (let i = 0; i < 2; i++) {
      expect(rig.manager.getStats().tiers[0]).toMatchObject({
        storesDropped: 1,
        blocksDropped: 2,
        pressure: { active: true, detector: { answer: 42 } },
      });
    }
  });

  it("never hold back a load", async () => {
    const { rig, detector } = pressuredRig();
    await rig.seed(1);
    detector.pressured = true;
    rig.look(1);
    rig.step();
    expect(rig.tier.loads).toEqual([keysOf(1)]);
  });

  it("tell the detector of real bytes, else of the blocks' size; of failures; and of dropped ones nothing", () => {
    const { rig, detector } = pressuredRig();
    const submit = (n: number): number => {
      rig.store("r", n);
      return rig.manager.jobs.lastId;
    };
    rig.clock.advance(3);
    rig.tier.release(submit(1));
    const bare = submit(2);
    const failed = submit(3);
    const dropped = submit(4);
    rig.tier.extraResults.push(
      { jobId: bare, success: true },
      { jobId: failed, success: false },
      { jobId: dropped, success: false, dropped: true },
    );
    rig.clock.advance(1);
    rig.step();
    expect(detector.heard).toEqual(["update 3 16", "update 3 16", "failed"]);
    expect(rig.manager.getStats().tiers[0]).toMatchObject({
      bytesWritten: 32,
      cascadeFailures: 1,
      storesDropped: 1,
      blocksDropped: 1,
      activeCascades: 0,
      writeLatencyS: { count: 2 },
    });
    expect(rig.lookAll("q", 1, 2, 3, 4)).toEqual(["hit", "hit", "hit", "hit"]);
    rig.expectQuiet();
  });

  it("log when the pressure changes, once each way, with the detector's figures", () => {
    const { rig, detector } = pressuredRig();
    const storeWith = (pressured: boolean, n: number): void => {
      rig.store("r", n);
      detector.pressured = pressured;
      rig.releaseAll();
    };
    storeWith(true, 1);
    detector.pressured = false;
    storeWith(true, 2);
    detector.pressured = false;
    storeWith(false, 3);
    expect(rig.log).toEqual([
      { level: "info", message: "Tier 1:held: back-pressure activated", fields: { answer: 42 } },
      { level: "info", message: "Tier 1:held: back-pressure cleared", fields: { answer: 42 } },
    ]);
  });

  it("survive a detector that throws", () => {
    const { rig, detector } = pressuredRig();
    detector.fault = new Error("boom");
    rig.store("r", 1, 2);
    rig.store("r", 3);
    rig.releaseAll();
    rig.expectQuiet();
    expect(rig.log.map(({ level }) => level)).toEqual(["error", "error"]);
  });

  it("keep what was dropped in the figures when a reset clears the policy", async () => {
    const { rig, detector } = pressuredRig();
    detector.pressured = true;
    rig.store("r", 1);
    await rig.manager.resetCache();
    expect(detector.heard).toEqual(["reset"]);
    expect(rig.manager.getStats().tiers[0]).toMatchObject({ storesDropped: 1, blocksDropped: 1 });
  });

  it("to a tier that throws leave the blocks readable, and free once none of its I/O is out", async () => {
    const rig = new StepRig();
    rig.tier.failOnSubmit = new Error("boom");
    rig.store("r", 1);
    expect(rig.look(1)).toBe("hit");
    expect(rig.primary.refCount(keyOf(1))).toBe(1);
    await Promise.resolve().then(() => new Promise((resolve) => setImmediate(resolve)));
    expect(rig.primary.refCount(keyOf(1))).toBe(0);
    expect(rig.manager.getStats().tiers[0]).toMatchObject({ cascadeFailures: 1, activeCascades: 0 });
  });
});

describe("A tier that wants whole requests", () => {
  function wholeRequestRig(): StepRig {
    const rig = new StepRig({ tiers: 2 });
    rig.tier.policy = "request_level";
    return rig;
  }

  it("makes the request's policy RequestLevel, and no other tier hears of it", () => {
    const rig = wholeRequestRig();
    expect(rig.manager.onNewRequest(request())).toEqual({ policy: "request_level" });
    expect(new StepRig().manager.onNewRequest(request())).toEqual({ policy: "chunk_level" });
  });

  it("is offered what was in the pool already, also when nothing is new; the others are not", () => {
    const rig = wholeRequestRig();
    rig.store("a", 1);
    rig.releaseAll();
    rig.prepare("b", 1, 2);
    rig.prepare("c", 1);
    expect(rig.tiers.map((tier) => tier.stores)).toEqual([[keysOf(1), keysOf(1), keysOf(1)], [keysOf(1)]]);
  });

  it("is offered what others still write when it becomes readable, and then told of the finish", () => {
    const rig = wholeRequestRig();
    rig.prepare("w", 1, 2);
    rig.prepare("r", 1, 2);
    rig.finish("r");
    rig.step();
    expect(rig.manager.hasPendingWork()).toBe(true);
    rig.complete("w", 1);
    rig.manager.completeStore(keysOf(2), request("w"), false);
    rig.step();
    expect(rig.tier.requestCalls).toEqual(["new w", "new r", "store w", "store r", "finished r"]);
    expect(rig.tier.stores).toEqual([keysOf(1), keysOf(1)]);
    rig.finish("w");
    rig.releaseAll();
    rig.expectQuiet();
  });
});
