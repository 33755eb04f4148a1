import { describe, expect, it } from "@jest/globals";
import { ThrottledDropConfig } from "../../../src/backpressure/throttled-drop-config.js";
import { ThrottledDropPolicy } from "../../../src/backpressure/throttled-drop-policy.js";
import { detectorSaying } from "./fixtures.js";

const build = (options: Partial<ThrottledDropConfig> = {}) =>
  new ThrottledDropPolicy(Object.assign(new ThrottledDropConfig(), options));

/** `true` for each store of `calls` that is dropped. */
function drops(policy: ThrottledDropPolicy, calls: number, overshoot: number): boolean[] {
  const detector = detectorSaying({ pressured: true, overshoot });
  return Array.from({ length: calls }, () => !policy.shouldStore(detector));
}

const count = (dropped: boolean[]) => dropped.filter(Boolean).length;

describe("ThrottledDropPolicy", () => {
  it("drops nothing without pressure, whatever the overshoot", () => {
    const policy = build();
    const detector = detectorSaying({ pressured: false, overshoot: 5 });
    expect(Array.from({ length: 10 }, () => policy.shouldStore(detector))).not.toContain(false);
  });

  it.each([
    [0, 0],
    [0.2, 10],
    [1, 50],
    [1.2, 60],
    [1.5, 75],
    [1.9, 95],
    [2, 100],
    [Infinity, 100],
  ])("at an overshoot of %p drops %p stores of 100", (overshoot, expected) => {
    expect(count(drops(build(), 100, overshoot))).toBe(expected);
  });

  it.each([
    [0.5, ".x...x...x.."],
    [1, "x.x.x.x.x.x."],
    [1.5, "xx.xxx.xxx.x"],
  ])("spreads the drops evenly: %p gives %s", (overshoot, expected) => {
    const line = drops(build(), 12, overshoot).map((dropped) => (dropped ? "x" : "."));
    expect(line.join("")).toBe(expected);
  });

  it("scales by its ramp factor", () => {
    expect(count(drops(build({ rampFactor: 4 }), 100, 1))).toBe(25);
  });

  it("stores when a detector's overshoot is not a number", () => {
    expect(drops(build(), 3, Number.NaN)).toEqual([false, false, false]);
  });

  it("starts over at a reset", () => {
    const policy = build();
    const first = drops(policy, 3, 0.5);
    policy.reset();
    expect(drops(policy, 3, 0.5)).toEqual(first);
  });
});
