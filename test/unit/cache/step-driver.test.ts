import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { StepDriver } from "../../../src/cache/step-driver.js";
import { silentLogger } from "../../../src/contracts/logger.js";
import { createTestTiering } from "../../../src/testing/create-test-tiering.js";
import { keyOf, keysOf, request, StepRig } from "../orchestrator/step-rig.js";
import { turns } from "./cache-rig.js";

function driven(): { rig: StepRig; driver: StepDriver; steps: () => number } {
  const rig = new StepRig();
  const driver = new StepDriver(rig.manager, silentLogger);
  return { rig, driver, steps: () => rig.tier.calls.filter((call) => call === "step").length };
}

describe("StepDriver", () => {
  afterEach(() => void jest.useRealTimers());

  it("runs one step for all that was asked for in one turn of the loop", async () => {
    const { driver, steps } = driven();
    for (let i = 0; i < 10; i++) driver.wake();
    expect(steps()).toBe(0);
    await turns(3);
    expect(steps()).toBe(1);
  });

  it("sends what a look asks for in the same step: nobody waits for a timer, which would not keep the process alive", async () => {
    const tiering = await createTestTiering();
    const keys = keysOf(1, 2, 3);
    await tiering.cache.put(
      keys,
      keys.map(() => new Uint8Array(4096)),
    );
    await tiering.cache.flush();
    await tiering.manager.resetCache();
    jest.useFakeTimers({ doNotFake: ["setImmediate", "clearImmediate", "queueMicrotask", "nextTick"] });
    const lease = await tiering.cache.acquire(keys);
    expect(lease.hits).toBe(3);
    lease.release();
    jest.useRealTimers();
    await tiering.close();
  });

  it("looks again when a tier refuses what a step sends it", async () => {
    jest.useFakeTimers({ doNotFake: ["setImmediate", "clearImmediate", "queueMicrotask", "nextTick"] });
    const { rig, driver } = driven();
    rig.tier.answer = "hit";
    rig.tier.failOnSubmit = new Error("no");
    await driver.until(() => rig.manager.lookup(keyOf(1), request("r")) === "miss");
    expect(rig.tier.calls).toContain("load r");
  });

  it("polls while work is pending, and only then", () => {
    jest.useFakeTimers();
    const { rig, driver, steps } = driven();
    driver.step();
    jest.advanceTimersByTime(1000);
    expect(steps()).toBe(1);
    rig.store("r", 1);
    driver.step();
    jest.advanceTimersByTime(50);
    expect(steps()).toBe(12);
    rig.tier.release();
    jest.advanceTimersByTime(1000);
    expect(steps()).toBe(13);
    expect(jest.getTimerCount()).toBe(0);
  });

  it("asks for no steps on behalf of those who only wait for the next", () => {
    jest.useFakeTimers();
    const { rig, driver, steps } = driven();
    rig.store("r", 1);
    void driver.nextStep();
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(4);
    expect(steps()).toBe(0);
    jest.advanceTimersByTime(1);
    expect(steps()).toBe(1);
  });

  it("hands on the ids of new requests with the next step, once", () => {
    const { rig, driver } = driven();
    const ends: unknown[] = [];
    rig.tier.onScheduleEnd = (ctx) => void ends.push(ctx);
    driver.onNewRequest("a");
    driver.onNewRequest("b");
    driver.step();
    driver.step();
    expect(ends).toEqual([
      { newReqIds: ["a", "b"], preemptedReqIds: [] },
      { newReqIds: [], preemptedReqIds: [] },
    ]);
  });

  it("rejects for a condition that throws, and the others are served", async () => {
    const { driver } = driven();
    let calls = 0;
    const fault = new Error("boom");
    const failing = driver.until(() => {
      if (calls++ > 0) throw fault;
      return false;
    });
    let isTrue = false;
    const other = driver.until(() => isTrue);
    const checked = expect(failing).rejects.toBe(fault);
    driver.step();
    isTrue = true;
    driver.step();
    await checked;
    await other;
    expect(calls).toBe(2);
  });

  it("does not ask a condition again whose signal another condition has aborted", async () => {
    const { driver } = driven();
    const controller = new AbortController();
    let round = 0;
    let asked = 0;
    const first = driver.until(() => {
      if (round === 1) controller.abort(new Error("enough"));
      return round === 1;
    });
    const second = driver.until(() => (asked++, false), controller.signal);
    const checked = expect(second).rejects.toThrow("enough");
    round = 1;
    driver.step();
    await first;
    await checked;
    expect(asked).toBe(1);
  });

  it("gives up the job that a tier misreports, and goes on", () => {
    const { rig, driver } = driven();
    rig.store("r", 1, 2);
    rig.tier.extraResults.push({ jobId: 0, success: false, successfulKeys: keysOf(9) });
    driver.step();
    expect(rig.primary.pinnedBlocks).toBe(0);
    expect(rig.manager.hasPendingWork()).toBe(false);
  });

  it("lets go of everybody when it is stopped, and of those who come later", async () => {
    const { rig, driver, steps } = driven();
    rig.manager.prepareStore(keysOf(1), request());
    const waiting = [driver.until(() => false), driver.nextStep()];
    driver.stop();
    await Promise.all(waiting);
    await driver.until(() => false);
    await driver.nextStep();
    driver.wake();
    await turns(2);
    expect(steps()).toBe(0);
  });
});
