import { describe, expect, it } from "@jest/globals";
import type { EMABackpressureDetector } from "../../../src/backpressure/ema-backpressure-detector.js";
import { emaDetector, MIB, SetClock } from "./fixtures.js";

const stores = (detector: EMABackpressureDetector, calls: number) =>
  Array.from({ length: calls }, () => detector.shouldStore(1));

describe("EMABackpressureDetector", () => {
  it("measures seconds per MiB, so that the size of a store does not matter", () => {
    const clock = new SetClock();
    const detector = emaDetector(clock);
    detector.update(clock.time - 0.08, 4 * MIB);
    expect(detector.storeLatencyEma).toBeCloseTo(0.02, 12);
    detector.onStoreCompleted(0.01, MIB / 2);
    expect(detector.storeLatencyEma).toBeCloseTo(0.02, 12);
    expect(detector.stats).toEqual({ store_latency_ema: detector.storeLatencyEma });
  });

  it("weighs a new sample by alpha", () => {
    const detector = emaDetector(new SetClock(), { alpha: 0.3, warmupCompletions: 1 });
    detector.onStoreCompleted(0.01, MIB);
    detector.onStoreCompleted(0.02, MIB);
    expect(detector.storeLatencyEma).toBeCloseTo(0.3 * 0.02 + 0.7 * 0.01, 12);
  });

  it.each([
    [Number.NaN, MIB],
    [Infinity, MIB],
    [-1, MIB],
    [1, 0],
    [1, -MIB],
    [1, Number.NaN],
    [0, 0],
  ])("takes no notice of %p s for %p bytes", (elapsedS, bytes) => {
    const detector = emaDetector(new SetClock(), { warmupCompletions: 1 });
    detector.onStoreCompleted(elapsedS, bytes);
    detector.onStoreCompleted(0.006, MIB);
    expect(detector.storeLatencyEma).toBe(0.006);
  });

  describe("warm-up", () => {
    it("reads 0 and raises no pressure until it is over, then starts from the mean", () => {
      const detector = emaDetector(new SetClock(), { warmupCompletions: 3 });
      detector.onStoreCompleted(1, MIB);
      detector.onStoreCompleted(2, MIB);
      expect(detector.storeLatencyEma).toBe(0);
      detector.onStoreCompleted(6, MIB);
      expect(detector.storeLatencyEma).toBeCloseTo(3, 12);
      expect(detector.isUnderPressure()).toBe(false);
      detector.onStoreCompleted(3, MIB);
      expect(detector.isUnderPressure()).toBe(true);
    });
  });

  describe("marks", () => {
    it("turns pressure on above the high mark, not at it", () => {
      const detector = emaDetector(new SetClock(), { alpha: 0.3, warmupCompletions: 3 });
      for (let i = 0; i < 50; i++) detector.onStoreCompleted(0.01, MIB);
      expect(detector.isUnderPressure()).toBe(false);
      detector.onStoreCompleted(0.0101, MIB);
      expect(detector.isUnderPressure()).toBe(true);
    });

    it("keeps pressure between the marks and clears it below the low one, not at it", () => {
      const detector = emaDetector(new SetClock());
      detector.onStoreCompleted(0.011, MIB);
      detector.onStoreCompleted(0.005, MIB);
      detector.onStoreCompleted(0.004, MIB);
      expect(detector.isUnderPressure()).toBe(true);
      detector.onStoreCompleted(0.0039, MIB);
      expect(detector.isUnderPressure()).toBe(false);
      detector.onStoreCompleted(0.005, MIB);
      expect(detector.isUnderPressure()).toBe(false);
    });

    it("tells policies how far above the high mark it is, as a fraction of it", () => {
      const detector = emaDetector(new SetClock());
      const overshootAt = (average: number) => {
        detector.storeLatencyEma = average;
        return detector.overshoot();
      };
      expect([0, 0.01, 0.015, 0.03].map(overshootAt)).toEqual([0, 0, 0.5, 2].map((x) => expect.closeTo(x, 12)));
    });
  });

  describe("decay", () => {
    it("halves the average with each half-life without a completion, and so clears the pressure", () => {
      const clock = new SetClock();
      const detector = emaDetector(clock, { decayHalfLifeS: 2 });
      detector.onStoreCompleted(0.02, MIB);
      clock.time += 2;
      expect(detector.isUnderPressure()).toBe(true);
      expect(detector.storeLatencyEma).toBeCloseTo(0.01, 12);
      clock.time += 2.6;
      expect(detector.isUnderPressure()).toBe(true);
      clock.time += 0.1;
      expect(detector.isUnderPressure()).toBe(false);
    });

    it("leaves the average alone while there is no pressure", () => {
      const clock = new SetClock();
      const detector = emaDetector(clock);
      detector.onStoreCompleted(0.005, MIB);
      clock.time += 100;
      detector.isUnderPressure();
      expect(detector.storeLatencyEma).toBe(0.005);
    });

    it.each([0, -1])("is off with a half-life of %p", (decayHalfLifeS) => {
      const clock = new SetClock();
      const detector = emaDetector(clock, { decayHalfLifeS });
      detector.onStoreCompleted(0.02, MIB);
      clock.time += 1e6;
      expect(detector.isUnderPressure()).toBe(true);
    });

    it("counts from when the average was set by hand", () => {
      const clock = new SetClock();
      const detector = emaDetector(clock, { decayHalfLifeS: 2 });
      detector.onStoreCompleted(0.02, MIB);
      clock.time += 10;
      detector.storeLatencyEma = 0.05;
      expect(detector.isUnderPressure()).toBe(true);
      expect(detector.storeLatencyEma).toBe(0.05);
    });
  });

  describe("cooldown", () => {
    const recovered = (clock: SetClock) => {
      const detector = emaDetector(clock, { cooldownS: 1 });
      detector.onStoreCompleted(0.02, MIB);
      detector.onStoreCompleted(0.001, MIB);
      return detector;
    };

    it("refuses and counts every second store for a while after the pressure cleared", () => {
      const clock = new SetClock();
      const detector = recovered(clock);
      expect(stores(detector, 5)).toEqual([true, false, true, false, true]);
      expect(detector.policy.popStoresDropped()).toEqual({ stores: 2, blocks: 2 });
      clock.time += 1;
      expect(stores(detector, 4)).toEqual([true, true, true, true]);
    });

    it("works at time 0 too: 'never cleared' is not a time", () => {
      const clock = new SetClock();
      clock.time = 0;
      expect(stores(recovered(clock), 2)).toEqual([true, false]);
      expect(stores(emaDetector(clock), 4)).toEqual([true, true, true, true]);
    });

    it("starts afresh each time the pressure clears", () => {
      const detector = recovered(new SetClock());
      stores(detector, 1);
      detector.onStoreCompleted(0.02, MIB);
      detector.onStoreCompleted(0.001, MIB);
      expect(stores(detector, 2)).toEqual([true, false]);
    });
  });

  describe("health", () => {
    it("comes with ten completions in a row below the low mark, and goes with one that is not", () => {
      const detector = emaDetector(new SetClock());
      for (let i = 0; i < 9; i++) detector.onStoreCompleted(0.001, MIB);
      expect(detector.isHealthy()).toBe(false);
      detector.onStoreCompleted(0.001, MIB);
      expect(detector.isHealthy()).toBe(true);
      detector.onStoreCompleted(0.005, MIB);
      expect(detector.isHealthy()).toBe(false);
    });

    it("spares the policy and ends the cooldown", () => {
      const policy = {
        shouldStore: () => false,
        onStoreSkipped: () => {},
        popStoresDropped: () => ({ stores: 0, blocks: 0 }),
        reset: () => {},
      };
      const detector = emaDetector(new SetClock(), {}, policy);
      detector.onStoreCompleted(0.02, MIB);
      for (let i = 0; i < 9; i++) detector.onStoreCompleted(0.001, MIB);
      expect(stores(detector, 2)).toEqual([false, false]);
      detector.onStoreCompleted(0.001, MIB);
      expect(stores(detector, 3)).toEqual([true, true, true]);
    });
  });

  it("is as new after a reset, its policy too", () => {
    const detector = emaDetector(new SetClock(), { warmupCompletions: 1 });
    detector.onStoreCompleted(0.02, MIB);
    detector.onStoreCompleted(0.02, MIB);
    detector.shouldStore(4);
    detector.reset();
    expect([detector.storeLatencyEma, detector.isUnderPressure(), detector.isHealthy()]).toEqual([0, false, false]);
    expect(detector.policy.popStoresDropped()).toEqual({ stores: 0, blocks: 0 });
    detector.onStoreCompleted(5, MIB);
    expect(detector.isUnderPressure()).toBe(false);
  });

  it.each([Number.NaN, -1, Infinity])("refuses %p as an average", (value) => {
    const detector = emaDetector(new SetClock());
    expect(() => (detector.storeLatencyEma = value)).toThrow(expect.objectContaining({ code: "INVALID_STATE" }));
  });
});
