import { describe, expect, it } from "@jest/globals";
import { parseTieringConfigWith } from "../../src/config/parse-tiering-config.js";
import { validateOptions } from "../../src/config/validate-options.js";
import { KvTierError, type ConfigProblem } from "../../src/errors/kv-tier-error.js";
import { DiskOptions, sampleCatalog, sampleConfig } from "../unit/config/sample-catalog.js";

function problemsOf(tier: unknown): readonly ConfigProblem[] {
  try {
    parseTieringConfigWith(sampleCatalog, sampleConfig(tier));
  } catch (error) {
    if (KvTierError.is(error, "CONFIG_INVALID")) return error.problems;
    throw error;
  }
  return [];
}

describe("F6: misspelt keys passed silently, and nested objects were not validated", () => {
  it("reports a misspelt key of a tier with its full path", () => {
    expect(problemsOf({ type: "disk", root_dir: "/x", root_dirr: "/y" })).toEqual([
      { path: "secondary_tiers[0].root_dirr", message: "unknown key, did you mean root_dir?" },
    ]);
  });

  it("reports a misspelt key of a nested block with its full path", () => {
    const backpressure = { backpressure_cls: "MarksDetector", high_watter_s: 1 };
    expect(problemsOf({ type: "disk", root_dir: "/x", backpressure })).toEqual([
      {
        path: "secondary_tiers[0].backpressure.high_watter_s",
        message: "unknown key, did you mean high_water_s?",
      },
    ]);
  });

  it("reports a misspelt key of a class nested in a tier's class", () => {
    const store = { bucket: "b", endpoint_override: "e", buket: "c" };
    expect(problemsOf({ type: "shop", store_config: store })[0]?.path).toBe("secondary_tiers[0].store_config.buket");
  });

  it("validates the values of nested objects instead of waving them through or rejecting them whole", () => {
    expect(problemsOf({ type: "shop", store_config: { bucket: "b", endpoint_override: "e" } })).toEqual([]);
    expect(problemsOf({ type: "shop", store_config: { bucket: 1, endpoint_override: "e" } })[0]?.path).toBe(
      "secondary_tiers[0].store_config.bucket",
    );
  });

  it("reports keys that every object inherits", () => {
    const tier: unknown = JSON.parse(
      '{"type": "disk", "root_dir": "/x", "__proto__": 1, "constructor": 1, "toString": 1}',
    );
    expect(problemsOf(tier).map(({ message }) => message)).toEqual(
      Array(3).fill(expect.stringMatching(/^unknown key; known are root_dir, /)),
    );
  });

  it("lets the tier's own schema decide which extra keys there are", () => {
    class WithPool extends DiskOptions {}
    expect(problemsOf({ type: "free", pool: 1 })).toEqual([]);
    expect(validateOptions(WithPool, { root_dir: "/x", pool: 1 }, "tierOptions").problems[0]?.path).toBe(
      "tierOptions.pool",
    );
  });
});
