import { describe, expect, it } from "@jest/globals";
import { splitTierConfig, tierOptionsFor } from "../../../src/config/split-tier-config.js";
import { Flag, Text } from "../../../src/config/value-options.js";

const freezeAll = <T extends object>(value: T): T => {
  Object.values(value).forEach((item: unknown) => typeof item === "object" && item !== null && freezeAll(item));
  return Object.freeze(value);
};

describe("splitTierConfig", () => {
  it("takes the common keys out in either spelling and leaves the rest, unknown keys too, to the tier", () => {
    const raw = freezeAll({
      type: "disk",
      modulePath: "./mine",
      locality: "remote",
      backpressure: { backpressure_cls: "X" },
      enable_kv_events: true,
      root_dir: "/x",
      mystery: 1,
    });
    expect(splitTierConfig(raw, "tiers[0]")).toMatchObject({
      type: "disk",
      modulePath: "./mine",
      locality: "REMOTE",
      backpressure: { backpressure_cls: "X" },
      enableKvEvents: true,
      options: { root_dir: "/x", mystery: 1 },
      problems: [],
    });
  });

  it.each([[{}], [{ type: undefined }], [{ type: "" }], [{ type: 5 }], [{ type: null }]])(
    "says that a tier config must include 'type' for %p",
    (raw) => {
      const parts = splitTierConfig(raw, "tiers[0]");
      expect(parts.type).toBeUndefined();
      expect(parts.problems).toEqual([
        { path: "tiers[0].type", message: expect.stringContaining("must include 'type'") },
      ]);
    },
  );

  it.each([[null], [[]], ["disk"], [undefined]])("refuses the entry %p", (raw) => {
    expect(splitTierConfig(raw, "tiers[0]").problems).toEqual([
      { path: "tiers[0]", message: expect.stringContaining("must include 'type'") },
    ]);
  });

  it("reports each unsound common key under the caller's spelling and hands none of them on", () => {
    const raw = { type: "t", modulePath: "", locality: "nearby", backpressure: [], enableKvEvents: "false" };
    const parts = splitTierConfig(raw, "");
    expect(parts.problems.map(({ path }) => path)).toEqual([
      "modulePath",
      "locality",
      "backpressure",
      "enableKvEvents",
    ]);
    expect([...parts.common.keys()]).toEqual(["type"]);
    expect(parts.enableKvEvents).toBeUndefined();
  });

  it("takes null for backpressure as left out, and for nothing else", () => {
    expect(splitTierConfig({ type: "t", backpressure: null }, "")).toMatchObject({ problems: [] });
    expect(splitTierConfig({ type: "t", locality: null }, "").problems).toHaveLength(1);
  });

  it("keeps an own __proto__ key visible to the tier's contract", () => {
    const { options } = splitTierConfig(JSON.parse('{"type": "t", "__proto__": {"x": 1}}'), "");
    expect(Reflect.ownKeys(options)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(options)).toBeNull();
  });
});

describe("tierOptionsFor", () => {
  class Declares {
    @Text() locality!: string;
    @Flag() enableKvEvents = false;
    @Text() rootDir!: string;
  }
  const parts = splitTierConfig({ type: "t", locality: "local", enableKvEvents: true, root_dir: "/x" }, "");

  it("adds the common keys that a config class declares, in the caller's spelling", () => {
    expect({ ...tierOptionsFor(Declares, parts) }).toEqual({ locality: "LOCAL", enableKvEvents: true, root_dir: "/x" });
  });

  it("adds all of them for a pass-through contract and none for no contract", () => {
    expect({ ...tierOptionsFor("passthrough", parts) }).toEqual({
      type: "t",
      locality: "LOCAL",
      enableKvEvents: true,
      root_dir: "/x",
    });
    expect({ ...tierOptionsFor(null, parts) }).toEqual({ root_dir: "/x" });
  });
});
