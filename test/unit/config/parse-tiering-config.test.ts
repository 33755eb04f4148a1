import { describe, expect, it } from "@jest/globals";
import { parseTieringConfigWith } from "../../../src/config/parse-tiering-config.js";
import { createOffloadingSpec } from "../../../src/config/create-offloading-spec.js";
import type { KvTierError } from "../../../src/errors/kv-tier-error.js";
import { sampleCatalog, sampleConfig } from "./sample-catalog.js";

const parse = (raw: unknown) => parseTieringConfigWith(sampleCatalog, raw);

function errorOf(raw: unknown): KvTierError {
  try {
    parse(raw);
  } catch (error) {
    expect(error).toMatchObject({ name: "KvTierError", code: "CONFIG_INVALID" });
    return error as KvTierError;
  }
  throw new Error("the config was accepted");
}

const problemsOf = (raw: unknown) => errorOf(raw).problems;
const tierProblems = (tier: unknown) => problemsOf(sampleConfig(tier));
const backpressureProblems = (backpressure: unknown) => tierProblems({ type: "disk", root_dir: "/x", backpressure });

describe("parseTieringConfigWith", () => {
  it("gives a frozen config with its defaults", () => {
    const raw = sampleConfig({ type: "disk", root_dir: "/x" });
    const config = parse(raw);
    expect(config).toEqual({
      specName: "TieringOffloadingSpec",
      cpuBytesToUse: 8 * 2 ** 20,
      blockBytes: 2 ** 20,
      numBlocks: 8,
      evictionPolicy: "lru",
      enableKvCacheEvents: false,
      model: { name: "llama", dtype: "float16", revision: "", layout: "", tokensPerBlock: 16, worldSize: 1, rank: 0 },
      secondaryTiers: [{ type: "disk", root_dir: "/x" }],
    });
    expect("pendingDeadlineS" in config).toBe(false);
    expect([config, config.model, config.secondaryTiers, config.secondaryTiers[0]].every(Object.isFrozen)).toBe(true);
  });

  it("reads every key, in camelCase too", () => {
    const config = parse({
      specName: "MySpec",
      specModulePath: "./spec.js",
      cpuBytesToUse: 1000,
      blockBytes: 300,
      evictionPolicy: "arc",
      enableKvCacheEvents: true,
      pendingDeadlineS: 5,
      model: { name: "m", dtype: "f", revision: "r", layout: "l", tokensPerBlock: 1, worldSize: 4, rank: 3 },
      secondaryTiers: [],
    });
    expect(config).toMatchObject({
      specModulePath: "./spec.js",
      numBlocks: 3,
      pendingDeadlineS: 5,
      evictionPolicy: "arc",
    });
    expect(config.model).toMatchObject({ worldSize: 4, rank: 3 });
  });

  it("copies the tiers' entries, and keeps what cannot be copied by identity", () => {
    const client = new Map();
    const entry = { type: "free", client, nested: { list: [1] } };
    const config = parse(sampleConfig(entry));
    entry.nested.list.push(2);
    expect(config.secondaryTiers[0]).toMatchObject({ nested: { list: [1] } });
    expect(config.secondaryTiers[0]?.client).toBe(client);
    expect(Object.isFrozen(client)).toBe(false);
  });

  it("reports every fault at once, each on its own line of the message", () => {
    const error = errorOf({
      cpu_bytes_to_use: "lots",
      block_size: 4,
      model: { name: "", tokens_per_block: 0, rank: 1 },
      secondary_tiers: [{ type: "disk", root_dirr: "/x" }, { root_dir: "/x" }],
    });
    expect(error.problems.map(({ path }) => path).sort()).toEqual(
      [
        "block_size",
        "cpu_bytes_to_use",
        "block_bytes",
        "model.name",
        "model.dtype",
        "model.tokens_per_block",
        "model.rank",
        "secondary_tiers[0].root_dirr",
        "secondary_tiers[0].root_dir",
        "secondary_tiers[1].type",
      ].sort(),
    );
    for (const { path, message } of error.problems)
      expect(error.message.split("\n")).toContain(`  ${path}: ${message}`);
  });

  it.each([[null], [undefined], ["text"], [[]], [5], [new Date(0)]])(
    "refuses the config %p with one problem",
    (raw) => {
      expect(problemsOf(raw)).toEqual([{ path: "", message: expect.stringMatching(/^the config must be an object/) }]);
    },
  );

  it("names all that is missing in an empty config", () => {
    expect(problemsOf({}).map(({ path }) => path)).toEqual([
      "cpu_bytes_to_use",
      "block_bytes",
      "model.name",
      "model.dtype",
      "model.tokens_per_block",
    ]);
  });

  it.each([
    [{ cpu_bytes_to_use: "1KiB" }, "cpu_bytes_to_use", /at least one block of 1 MiB \(block_bytes\); got "1KiB"$/],
    [{ cpu_bytes_to_use: "4GiB", block_bytes: 1 }, "cpu_bytes_to_use", /fewer than 2147483648 blocks/],
    [{ block_bytes: 0 }, "block_bytes", /at least 1 B/],
    [{ block_bytes: undefined }, "block_bytes", /is missing/],
    [{ eviction_policy: "fifo" }, "eviction_policy", /must be one of lru, arc; got "fifo"/],
    [{ enable_kv_cache_events: "false" }, "enable_kv_cache_events", /must be true or false/],
    [{ pending_deadline_s: 0 }, "pending_deadline_s", /positive number of seconds/],
    [{ secondary_tiers: {} }, "secondary_tiers", /must be an array/],
    [{ secondary_tiers: null }, "secondary_tiers", /must not be null/],
    [{ secondaryTiers: [] }, "secondaryTiers", /given twice/],
    [{ specName: "Spec" }, "specName", /unknown spec "Spec"\. Known: TieringOffloadingSpec/],
    [{ specName: "constructor" }, "specName", /unknown spec/],
    [{ model: [] }, "model", /must be an object; got an array/],
    [{ secondary_tier: [] }, "secondary_tier", /did you mean secondary_tiers/],
  ])("refuses %p", (change, path, message) => {
    expect(problemsOf({ ...sampleConfig(), ...change })).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  it.each([
    ["first", 0, (tier: unknown) => [, tier]], // eslint-disable-line no-sparse-arrays
    ["last", 1, (tier: unknown) => Object.assign([tier], { length: 2 })],
  ])("refuses a list of tiers whose %s entry is a hole", (_which, index, listOf) => {
    const raw = { ...sampleConfig(), secondary_tiers: listOf({ type: "bare" }) };
    expect(problemsOf(raw)).toEqual([
      { path: `secondary_tiers[${index}]`, message: expect.stringMatching(/must be an object.*; got undefined$/) },
    ]);
  });

  it("allows no tiers with the spec that has none", () => {
    const raw = { ...sampleConfig({ type: "bare" }), spec_name: "CPUOffloadingSpec" };
    expect(problemsOf(raw)).toEqual([{ path: "secondary_tiers", message: expect.stringContaining("must be empty") }]);
    expect(parse({ ...raw, secondary_tiers: [] }).specName).toBe("CPUOffloadingSpec");
  });

  it.each(["nfs", "constructor", "__proto__", "toString"])("knows no tier type %s", (type) => {
    expect(tierProblems({ type })).toEqual([
      { path: "secondary_tiers[0].type", message: expect.stringContaining(`Unknown secondary tier type "${type}"`) },
    ]);
  });

  it("lists the known types, suggests the close one and points to module_path", () => {
    expect(tierProblems({ type: "disc" })[0]?.message).toMatch(
      /type "disc"\. Did you mean disk\? Supported types: disk, shop, bare, free, lazy\. .*add module_path/,
    );
  });

  it("leaves the options of classes that are not imported yet to their creation", () => {
    expect(() =>
      parse(sampleConfig({ type: "lazy", any: 1 }, { type: "Mine", module_path: "./m", any: 1 })),
    ).not.toThrow();
  });

  it("suggests common keys to a tier, and keys of the block to a detector", () => {
    expect(tierProblems({ type: "bare", backpresure: {} })[0]?.message).toMatch(/did you mean backpressure\?/);
    expect(backpressureProblems({ backpressure_cls: "MarksDetector", polcy_cls: "RampPolicy" })).toEqual([
      { path: "secondary_tiers[0].backpressure.polcy_cls", message: "unknown key, did you mean policy_cls?" },
    ]);
  });

  it("gives a detector its defaults before its options are checked", () => {
    const tier = (options: object) => ({
      type: "bare",
      backpressure: { backpressure_cls: "MarksDetector", ...options },
    });
    expect(() => parse(sampleConfig(tier({})))).not.toThrow();
    expect(() => parse(sampleConfig(tier({ lowWaterS: 0.004 })))).not.toThrow();
    expect(problemsOf(sampleConfig(tier({ lowWaterS: 0.006 })))).toEqual([
      {
        path: "secondary_tiers[0].backpressure.lowWaterS",
        message: "must not be above high_water_s (0.005); got 0.006",
      },
    ]);
  });

  it.each([
    [{}, "backpressure_cls", /^is missing.*EMABackpressureDetector/],
    [{ backpressure_cls: "NoDetector" }, "backpressure_cls", /unknown detector "NoDetector"\. Known: MarksDetector/],
    [{ backpressureCls: "constructor" }, "backpressureCls", /unknown detector "constructor"/],
    [{ backpressure_cls: "MarksDetector", policy_cls: "No" }, "policy_cls", /unknown policy "No"\. Known: RampPolicy/],
    [
      { backpressure_cls: "Marks" },
      "backpressure_cls",
      /unknown detector "Marks"\. Did you mean MarksDetector\? Known: MarksDetector/,
    ],
    [{ backpressure_cls: "MarksDetector", policy_cls: 5 }, "policy_cls", /^must name a class/],
    [{ backpressure_cls: "MarksDetector", policy: { ramp_factor: 0 } }, "policy.ramp_factor", /positive/],
    [{ backpressure_cls: "MarksDetector", policy_cls: "DropPolicy", policy: { a: 1 } }, "policy.a", /unknown key/],
    [{ backpressure_cls: "MarksDetector", alpha: 1.1 }, "alpha", /above 0 and at most 1/],
  ])("refuses the backpressure block %p", (block, path, message) => {
    expect(backpressureProblems(block)).toEqual([
      { path: `secondary_tiers[0].backpressure.${path}`, message: expect.stringMatching(message) },
    ]);
  });

  it("leaves detectors and policies that are named by their module to their creation", () => {
    const block = { backpressure_cls: "@acme/kv#Detector", policy_cls: "acme.Policy", any: 1, policy: { any: 1 } };
    expect(() => parse(sampleConfig({ type: "bare", backpressure: block }))).not.toThrow();
  });

  it("reports defaults that throw without their text, beside the tier's other faults", () => {
    const problems = backpressureProblems({ backpressure_cls: "BrokenDetector", high_water_s: 1, alpah: 1 });
    expect(problems.map(({ path }) => path)).toEqual([
      "secondary_tiers[0].backpressure",
      "secondary_tiers[0].backpressure.alpah",
      "secondary_tiers[0].backpressure.low_water_s",
    ]);
    expect(JSON.stringify(problems)).not.toContain("hunter2");
  });

  it("tells of each unreadable key once", () => {
    const raw: unknown = JSON.parse('{"type": "free", "__proto__": {"x": 1}}');
    expect(tierProblems(raw)).toEqual([{ path: "secondary_tiers[0].__proto__", message: "unknown key" }]);
  });
});

describe("createOffloadingSpec", () => {
  it("carries over what the tiers need, frozen", () => {
    const config = parse({ ...sampleConfig(), enable_kv_cache_events: true });
    const spec = createOffloadingSpec(config);
    expect(spec).toEqual({
      specName: "TieringOffloadingSpec",
      model: config.model,
      blockBytes: 2 ** 20,
      numBlocks: 8,
      evictionPolicy: "lru",
      enableKvEvents: true,
    });
    expect(Object.isFrozen(spec) && Object.isFrozen(spec.model)).toBe(true);
  });
});
