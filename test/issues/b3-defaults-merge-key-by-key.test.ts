import { describe, expect, it } from "@jest/globals";
import { EMABackpressureDetector } from "../../src/backpressure/ema-backpressure-detector.js";
import { EMABackpressureConfig } from "../../src/backpressure/ema-backpressure-config.js";
import { parseTieringConfig } from "../../src/factory/parse-tiering-config.js";
import { Detector } from "../../src/decorators/detector.js";
import { testContainer } from "../support/tiering-container.js";

const EMA = "EMABackpressureDetector";

async function optionsOf(block: object, rest: object = {}, made = testContainer()): Promise<EMABackpressureConfig> {
  const tierWithDetector = await made.factory.createSecondaryTier({
    type: "example",
    ...rest,
    backpressure: { backpressure_cls: EMA, ...block },
  });
  return Reflect.get(tierWithDetector.backpressureDetector ?? {}, "config") as EMABackpressureConfig;
}

const DEFAULTS = {
  highWaterS: 0.005,
  lowWaterS: 0.001,
  alpha: 0.3,
  warmupCompletions: 3,
  decayHalfLifeS: 2,
  cooldownS: 1,
};

function deepFreeze<T extends object>(value: T): T {
  for (const item of Object.values(value)) if (typeof item === "object" && item !== null) deepFreeze(item as object);
  return Object.freeze(value);
}

describe("B3: a detector's defaults fill the keys that were left out, one by one", () => {
  it.each([
    [{}, {}, {}],
    [{ high_water_s: 0.02 }, {}, { highWaterS: 0.02 }],
    [{ highWaterS: 0.02 }, {}, { highWaterS: 0.02 }],
    [{ low_water_s: 0 }, {}, { lowWaterS: 0 }],
    [{ alpha: 1, cooldown_s: 0 }, {}, { alpha: 1, cooldownS: 0 }],
    [{ high_water_s: undefined }, {}, {}],
    [{ high_water_s: 0.03 }, { locality: "remote" }, { highWaterS: 0.03, lowWaterS: 0.005 }],
    [{}, { locality: "REMOTE" }, { highWaterS: 0.02, lowWaterS: 0.005 }],
    [{}, { locality: "LOCAL" }, {}],
  ])("%j on a tier with %j changes %j", async (block, tier, changed) => {
    expect(await optionsOf(block, tier)).toEqual({ ...DEFAULTS, ...changed });
  });

  it.each([
    [{ low_water_s: 0.006 }, "backpressure.low_water_s"],
    [{ high_water_s: 0.0005 }, "backpressure.low_water_s"],
    [{ alpha: 0 }, "backpressure.alpha"],
    [{ alpha: 1.1 }, "backpressure.alpha"],
    [{ high_watter_s: 1 }, "backpressure.high_watter_s"],
    [{ high_water_s: null }, "backpressure.high_water_s"],
  ])("%j is refused, also against a default", async (block, path) => {
    await expect(optionsOf(block)).rejects.toMatchObject({ code: "CONFIG_INVALID", problems: [{ path }] });
  });

  it("leaves a deep-frozen input as it is", async () => {
    const config = deepFreeze({
      type: "example",
      backpressure: { backpressure_cls: EMA, high_water_s: 0.02, policy: { ramp_factor: 3 } },
    });
    const { factory } = testContainer();
    const tier = await factory.createSecondaryTier(config);
    expect(Reflect.get(tier.backpressureDetector ?? {}, "config")).toEqual({ ...DEFAULTS, highWaterS: 0.02 });
  });

  it("lets two tiers share a block of the config, and nothing else", async () => {
    const made = testContainer();
    const backpressure = { backpressure_cls: EMA, high_water_s: 0.02 };
    const before = structuredClone(backpressure);
    const [near, far] = await Promise.all([
      made.factory.createSecondaryTier({ type: "example", backpressure }),
      made.factory.createSecondaryTier({ type: "example", locality: "REMOTE", backpressure }),
    ]);
    expect(backpressure).toEqual(before);
    const [left, right] = [near.backpressureDetector, far.backpressureDetector];
    expect(left).not.toBe(right);
    expect(left?.policy).not.toBe(right?.policy);
    expect(Reflect.get(left ?? {}, "config")).toMatchObject({ lowWaterS: 0.001 });
    expect(Reflect.get(right ?? {}, "config")).toMatchObject({ lowWaterS: 0.005 });
  });

  it("does not let a detector change the defaults of the next tier", async () => {
    const shared = { high_water_s: 0.5, low_water_s: 0.1 };
    @Detector("sharing", { config: EMABackpressureConfig })
    class SharingDetector extends EMABackpressureDetector {
      static override defaultConfig(): typeof shared {
        return shared;
      }
    }
    const made = testContainer({ detectors: [SharingDetector] });
    expect(await optionsOf({ backpressure_cls: "sharing", high_water_s: 9 }, {}, made)).toMatchObject({
      highWaterS: 9,
    });
    expect(await optionsOf({ backpressure_cls: "sharing" }, {}, made)).toMatchObject({
      highWaterS: 0.5,
      lowWaterS: 0.1,
    });
    expect(shared).toEqual({ high_water_s: 0.5, low_water_s: 0.1 });
  });

  it("knows no other level: a key of the block at the top of the config is unknown", () => {
    const config = {
      cpu_bytes_to_use: 512,
      block_bytes: 256,
      model: { name: "llama", dtype: "float16", tokens_per_block: 16 },
      backpressure: { backpressure_cls: EMA },
    };
    expect(() => parseTieringConfig(config)).toThrow(
      expect.objectContaining({
        problems: [{ path: "backpressure", message: expect.stringContaining("unknown key") }],
      }),
    );
  });
});
