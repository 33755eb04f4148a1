import { describe, expect, it } from "@jest/globals";
import { validateSync } from "class-validator";
import { EMABackpressureConfig } from "../../src/backpressure/ema-backpressure-config.js";
import { ThrottledDropConfig } from "../../src/backpressure/throttled-drop-config.js";

const problems = (options: object): string[] =>
  validateSync(options).flatMap(({ property, constraints = {} }) =>
    Object.values(constraints).map((message) => `${property}: ${message}`),
  );

const ema = (options: object) =>
  Object.assign(new EMABackpressureConfig(), { highWaterS: 0.02, lowWaterS: 0.001 }, options);

describe("B3: options of the detector and the policy", () => {
  it("need the two marks and nothing else", () => {
    expect(problems(ema({}))).toEqual([]);
    expect(ema({})).toMatchObject({ alpha: 0.3, warmupCompletions: 3, decayHalfLifeS: 2, cooldownS: 1 });
    expect(problems(new EMABackpressureConfig()).map((line) => line.split(":")[0])).toEqual([
      "highWaterS",
      "lowWaterS",
    ]);
  });

  it.each([
    { lowWaterS: 0.02 },
    { lowWaterS: 0 },
    { alpha: 1 },
    { warmupCompletions: 0 },
    { decayHalfLifeS: -1 },
    { cooldownS: 0 },
  ])("may be %p", (options) => {
    expect(problems(ema(options))).toEqual([]);
  });

  it.each([
    [{ lowWaterS: 0.03 }, "lowWaterS: must not be above high_water_s (0.02)"],
    [{ lowWaterS: -1 }, "lowWaterS: must be a number of seconds per MiB, 0 or more"],
    [{ highWaterS: 0, lowWaterS: 0 }, "highWaterS: must be a number of seconds per MiB above 0"],
    [{ highWaterS: "0.02" }, "highWaterS: must be a number of seconds per MiB above 0"],
    [{ highWaterS: Infinity }, "highWaterS: must be a number of seconds per MiB above 0"],
    [{ alpha: 0 }, "alpha: must be a number above 0 and at most 1"],
    [{ alpha: 1.1 }, "alpha: must be a number above 0 and at most 1"],
    [{ alpha: Number.NaN }, "alpha: must be a number above 0 and at most 1"],
    [{ alpha: null }, "alpha: must be a number above 0 and at most 1"],
    [{ warmupCompletions: 1.5 }, "warmupCompletions: must be a whole number, 0 or more"],
    [{ warmupCompletions: -1 }, "warmupCompletions: must be a whole number, 0 or more"],
    [{ decayHalfLifeS: "2" }, "decayHalfLifeS: must be a number of seconds"],
    [{ cooldownS: -0.1 }, "cooldownS: must be a number of seconds, 0 or more"],
  ])("may not be %p, with one problem each", (options, problem) => {
    expect(problems(ema(options))).toEqual([problem]);
  });

  it.each([0, -1, Infinity, "2", null])("may not ramp over %p", (rampFactor) => {
    expect(problems(Object.assign(new ThrottledDropConfig(), { rampFactor }))).toEqual([
      "rampFactor: must be a number above 0",
    ]);
  });
});
