import { describe, expect, it } from "@jest/globals";
import { EMABackpressureConfig } from "../../src/backpressure/ema-backpressure-config.js";
import { EMABackpressureDetector } from "../../src/backpressure/ema-backpressure-detector.js";
import { ThrottledDropConfig } from "../../src/backpressure/throttled-drop-config.js";
import { validateOptions } from "../../src/config/validate-options.js";

const MARKS = { high_water_s: 0.02, low_water_s: 0.001 };

const ema = (options: object) => validateOptions(EMABackpressureConfig, { ...MARKS, ...options }, "backpressure");
const lines = ({ problems }: ReturnType<typeof ema>) => problems.map(({ path, message }) => `${path}: ${message}`);

describe("B3: options of the detector and the policy", () => {
  it("need the two marks and nothing else", () => {
    expect(ema({}).value).toEqual({
      highWaterS: 0.02,
      lowWaterS: 0.001,
      alpha: 0.3,
      warmupCompletions: 3,
      decayHalfLifeS: 2,
      cooldownS: 1,
    });
    expect(lines(validateOptions(EMABackpressureConfig, {}, "backpressure"))).toEqual([
      "backpressure.high_water_s: is missing; it must be a positive number of seconds",
      "backpressure.low_water_s: is missing; it must be a non-negative number of seconds",
    ]);
  });

  it.each(["fs", "obj", "p2p"])("are complete with the defaults of %s", (type) => {
    expect(ema(EMABackpressureDetector.defaultConfig(type, {})).problems).toEqual([]);
  });

  it.each([
    { low_water_s: 0.02 },
    { low_water_s: 0 },
    { alpha: 1 },
    { warmup_completions: 0 },
    { decay_half_life_s: -1 },
    { cooldown_s: 0 },
  ])("may be %p", (options) => {
    expect(ema(options).problems).toEqual([]);
  });

  it.each([
    [{ low_water_s: 0.03 }, "low_water_s: must not be above high_water_s (0.02); got 0.03"],
    [{ low_water_s: -1 }, "low_water_s: must be a non-negative number of seconds; got -1"],
    [{ high_water_s: 0, low_water_s: 0 }, "high_water_s: must be a positive number of seconds; got 0"],
    [{ high_water_s: "0.02" }, 'high_water_s: must be a positive number of seconds; got "0.02"'],
    [{ high_water_s: Infinity }, "high_water_s: must be a positive number of seconds; got Infinity"],
    [{ high_watter_s: 1 }, "high_watter_s: unknown key, did you mean high_water_s?"],
    [{ alpha: 0 }, "alpha: must be a number above 0 and at most 1; got 0"],
    [{ alpha: 1.1 }, "alpha: must be a number above 0 and at most 1; got 1.1"],
    [{ alpha: Number.NaN }, "alpha: must be a number above 0 and at most 1; got NaN"],
    [{ alpha: null }, "alpha: must not be null; leave the key out instead"],
    [{ warmup_completions: 1.5 }, "warmup_completions: must be a non-negative integer; got 1.5"],
    [{ warmup_completions: -1 }, "warmup_completions: must be a non-negative integer; got -1"],
    [{ decay_half_life_s: "2" }, 'decay_half_life_s: must be a number of seconds; got "2"'],
    [{ cooldown_s: -0.1 }, "cooldown_s: must be a non-negative number of seconds; got -0.1"],
  ])("may not be %p, with one problem each", (options, problem) => {
    expect(lines(ema(options))).toEqual([`backpressure.${problem}`]);
  });

  it.each([0, -1, Infinity, "2"])("may not ramp over %p", (ramp_factor) => {
    expect(validateOptions(ThrottledDropConfig, { ramp_factor }, "policy").problems).toEqual([
      { path: "policy.ramp_factor", message: expect.stringMatching(/^must be a positive number; got /) },
    ]);
  });
});
