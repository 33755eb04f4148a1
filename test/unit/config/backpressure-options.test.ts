import { describe, expect, it } from "@jest/globals";
import { parseComponentName } from "../../../src/config/component-name.js";
import { mergeDefaults } from "../../../src/config/merge-defaults.js";
import { splitBackpressure } from "../../../src/config/split-backpressure.js";
import { MarksOptions } from "./sample-catalog.js";

describe("splitBackpressure", () => {
  it("takes the block's own keys out in either spelling and leaves the rest to the detector", () => {
    const block = Object.freeze({ backpressureCls: "D", policy_cls: "P", policy: { ramp_factor: 3 }, high_water_s: 1 });
    expect(splitBackpressure(block, "b")).toMatchObject({
      detectorName: "D",
      policyName: "P",
      policyOptions: { ramp_factor: 3 },
      detectorOptions: { high_water_s: 1 },
      problems: [],
    });
  });

  it.each([[{}], [{ backpressure_cls: undefined }], [{ backpressure_cls: "" }], [{ backpressureCls: 5 }]])(
    "asks for backpressure_cls, with an example, for %p",
    (block) => {
      const { problems, detectorName } = splitBackpressure(block, "b");
      expect(detectorName).toBeUndefined();
      expect(problems).toHaveLength(1);
      expect(problems[0]?.path).toMatch(/backpressure_?cls$/i);
      expect(problems[0]?.message).toMatch(/^(is missing|must name a class).*EMABackpressureDetector/);
    },
  );

  it("takes null for policy_cls as left out, as upstream does", () => {
    const parts = splitBackpressure({ backpressure_cls: "D", policy_cls: null }, "b");
    expect(parts).toMatchObject({ problems: [] });
    expect(parts.policyName).toBeUndefined();
  });

  it("reports a policy that is no object, and a block that is none", () => {
    expect(splitBackpressure({ backpressure_cls: "D", policy: [] }, "b").problems).toEqual([
      { path: "b.policy", message: "must be an object; got an array" },
    ]);
    expect(splitBackpressure("D", "b").problems[0]?.path).toBe("b");
  });
});

describe("mergeDefaults", () => {
  const defaults = Object.freeze({ highWaterS: 0.005, low_water_s: 0.001 });

  it("fills in key by key, whatever the spelling of either side", () => {
    expect({ ...mergeDefaults(MarksOptions, defaults, { highWaterS: 1 }) }).toEqual({
      highWaterS: 1,
      low_water_s: 0.001,
    });
    expect({ ...mergeDefaults(MarksOptions, defaults, { high_water_s: 1 }) }).toEqual({
      high_water_s: 1,
      low_water_s: 0.001,
    });
    expect({ ...mergeDefaults(MarksOptions, defaults, { lowWaterS: 2 }) }).toEqual({
      lowWaterS: 2,
      high_water_s: 0.005,
    });
  });

  it("fills in what is explicitly undefined, and keeps null, zero and false", () => {
    const options = { high_water_s: undefined, low_water_s: 0 };
    expect({ ...mergeDefaults(MarksOptions, defaults, options) }).toEqual({ high_water_s: 0.005, low_water_s: 0 });
    expect({ ...mergeDefaults("passthrough", { a: 1, b: 2 }, { a: null, b: false }) }).toEqual({ a: null, b: false });
  });

  it("changes neither input", () => {
    const options = Object.freeze({ alpha: 1 });
    expect(mergeDefaults(MarksOptions, defaults, options)).not.toBe(options);
    expect(options).toEqual({ alpha: 1 });
  });

  it("gives a class no default that it does not declare, and nothing to a class without options", () => {
    expect({ ...mergeDefaults(MarksOptions, { alien: 1 }, {}) }).toEqual({});
    expect({ ...mergeDefaults(null, defaults, {}) }).toEqual({});
    expect({ ...mergeDefaults("passthrough", { alienKey: 1 }, {}) }).toEqual({ alienKey: 1 });
  });
});

describe("parseComponentName", () => {
  const parse = (name: string) => parseComponentName(name, (known) => known === "Known" || known === "acme.Dotted");

  it.each([
    ["Known", { kind: "name", name: "Known" }],
    ["Other", { kind: "name", name: "Other" }],
    ["acme.Dotted", { kind: "name", name: "acme.Dotted" }],
    ["vllm.v1.kv_offload.tiering.backpressure.Known", { kind: "name", name: "Known" }],
    ["@acme/kv#Det", { kind: "export", specifier: "@acme/kv", exportName: "Det" }],
    ["./det.mjs#Det", { kind: "export", specifier: "./det.mjs", exportName: "Det" }],
    ["acme.kv.Det", { kind: "export", specifier: "acme.kv", exportName: "Det" }],
    ["mod#", { kind: "name", name: "mod#" }],
    ["#Det", { kind: "name", name: "#Det" }],
  ])("reads %s", (name, ref) => expect(parse(name)).toEqual(ref));
});
