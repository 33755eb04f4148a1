import { describe, expect, it } from "@jest/globals";
import { EMABackpressureDetector } from "../../src/backpressure/ema-backpressure-detector.js";
import { emaDetector, MIB, SetClock } from "../unit/backpressure/fixtures.js";

const LOCAL = { high_water_s: 0.005, low_water_s: 0.001 };
const NETWORK = { high_water_s: 0.02, low_water_s: 0.005 };

describe("B2: default marks fit where a tier's bytes go", () => {
  it.each([
    ["fs", null, LOCAL],
    ["fs", undefined, LOCAL],
    ["fs", "LOCAL", LOCAL],
    ["fs", "REMOTE", NETWORK],
    ["fs", "remote", NETWORK],
    ["fs", "Remote", NETWORK],
    ["obj", null, NETWORK],
    ["obj", "LOCAL", NETWORK],
    ["acme", null, LOCAL],
    ["acme", "remote", NETWORK],
    ["p2p", null, LOCAL],
    ["constructor", null, LOCAL],
  ])("type %s with locality %p", (type, locality, marks) => {
    const options = locality === undefined ? {} : { locality };
    expect(EMABackpressureDetector.defaultConfig(type, options)).toEqual(marks);
  });

  it("gives every caller an object of its own", () => {
    const first = EMABackpressureDetector.defaultConfig("fs", {});
    Object.assign(first, { high_water_s: 99 });
    expect(EMABackpressureDetector.defaultConfig("fs", {})).toEqual(LOCAL);
  });

  it("leaves a tier whose stores wait for a peer unpressured with marks set for that wait", () => {
    const detector = emaDetector(new SetClock(), {
      highWaterS: 0.02,
      lowWaterS: 0.005,
      warmupCompletions: 3,
      alpha: 0.3,
    });
    for (let i = 0; i < 100; i++) detector.onStoreCompleted(0.08, 4 * MIB);
    expect(detector.isUnderPressure()).toBe(false);
  });
});
