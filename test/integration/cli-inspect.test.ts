import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { brokenTier, configOf, fileIn, kvtier } from "../support/cli-run.js";
import { withTempFolder } from "../support/temp-folder.js";

const BACKPRESSURE = { backpressure_cls: "EMABackpressureDetector", highWaterS: 0.5 };

interface Inspected {
  readonly config: Record<string, unknown>;
  readonly numBlocks: number;
  readonly namespace: string;
  readonly supportedTypes: string[];
  readonly tiers: Record<string, unknown>[];
}

async function inspect(config: object): Promise<Inspected> {
  return withTempFolder(async (folder) => {
    const { code, out, err } = await kvtier("inspect", await fileIn(folder, "c.json", config), "--json");
    expect([code, err]).toEqual([0, ""]);
    return JSON.parse(out) as Inspected;
  });
}

describe("kvtier inspect", () => {
  it("fills in every default, in the spelling of config files", async () => {
    const { config, numBlocks } = await inspect(configOf(12));
    expect(numBlocks).toBe(12);
    expect(config).toEqual({
      spec_name: "TieringOffloadingSpec",
      cpu_bytes_to_use: 12_999,
      block_bytes: 1000,
      eviction_policy: "lru",
      enable_kv_cache_events: false,
      model: {
        name: "m",
        dtype: "float16",
        revision: "",
        layout: "",
        tokens_per_block: 512,
        world_size: 1,
        rank: 0,
      },
    });
  });

  it("shows which class serves a tier, with its detector's defaults for the tier and its policy", async () => {
    const tier = { type: "fs", rootDir: "./kv", locality: "remote", backpressure: BACKPRESSURE };
    const { tiers, supportedTypes } = await inspect(configOf(2, { type: "example" }, tier));
    expect(supportedTypes).toEqual(expect.arrayContaining(["example", "fs"]));
    expect(tiers[0]).toMatchObject({ index: 0, label: "1:example", token: "kv.tier:example", class: "ExampleTier" });
    expect(tiers[1]).toMatchObject({
      index: 1,
      label: "2:fs",
      token: "kv.tier:fs",
      class: "FsTier",
      medium: "STORAGE",
      locality: "REMOTE",
      options: { root_dir: "./kv", n_read_threads: 1, deadline_s: 30 },
      backpressure: {
        detector: {
          token: "kv.detector:EMABackpressureDetector",
          class: "EMABackpressureDetector",
          // As given, and the mark of a network for what was left out.
          options: { high_water_s: 0.5, low_water_s: 0.005 },
        },
        policy: { token: "kv.policy:ThrottledDropPolicy", class: "ThrottledDropPolicy" },
      },
    });
  });

  it("names the folder in which fs keeps the blocks", async () => {
    await withTempFolder(async (root) => {
      const config = configOf(2, { type: "fs", root_dir: root });
      const { namespace } = await inspect(config);
      await kvtier("doctor", await fileIn(root, "c.json", config));
      expect(await readdir(root)).toContain(namespace);
    });
  });

  it("imports no module, and says what is imported later", async () => {
    const tier = brokenTier("Nobody", { retries: 3, backpressure: { backpressure_cls: "./none.js#Gauge", limit: 1 } });
    const { tiers } = await inspect(configOf(2, tier));
    expect(tiers[0]).toMatchObject({
      class: null,
      token: null,
      module: "./broken-tiers.js",
      options: { retries: 3 },
      backpressure: { detector: { name: "./none.js#Gauge", class: null, token: null, options: { limit: 1 } } },
    });
  });

  it("shows the same to people, touches no disk, and keeps secrets", async () => {
    await withTempFolder(async (folder) => {
      const root = join(folder, "kv");
      const secret = brokenTier("Nobody", { password: "hunter2-secret", url: "redis://me:pw@host/" });
      const config = configOf(12, { type: "fs", root_dir: root, backpressure: BACKPRESSURE }, secret);
      const { code, out } = await kvtier("inspect", await fileIn(folder, "c.json", config));
      expect(code).toBe(0);
      for (const text of [
        "Pool of 12 blocks",
        "kv.tier:fs → FsTier",
        root,
        "kv.detector:EMABackpressureDetector → EMABackpressureDetector",
        "kv.policy:ThrottledDropPolicy → ThrottledDropPolicy",
        "./broken-tiers.js, imported when it is created",
        "[redacted]",
      ])
        expect(out).toContain(text);
      expect(out).not.toMatch(/hunter2|me:pw/);
      expect(existsSync(root)).toBe(false);
    });
  });

  it("shows sizes with their unit, and what is not set", async () => {
    await withTempFolder(async (folder) => {
      const config = { ...configOf(2), cpu_bytes_to_use: "64MiB" };
      const { out } = await kvtier("inspect", await fileIn(folder, "c.json", config));
      expect(out).toMatch(/cpu_bytes_to_use +67108864 \(64 MiB\)\n/);
      expect(out).toMatch(/block_bytes +1000\n/);
      expect(out).toMatch(/pending_deadline_s +none\n/);
      const timed = await kvtier("inspect", await fileIn(folder, "d.json", { ...config, pending_deadline_s: 5 }));
      expect(timed.out).toMatch(/pending_deadline_s +5\n/);
    });
  });

  it("exits with 3 on a config that is invalid", async () => {
    await withTempFolder(async (folder) => {
      const { code, out } = await kvtier("inspect", await fileIn(folder, "c.json", { block_bytes: 1 }), "--json");
      const { error } = JSON.parse(out) as { error: { code: string; problems: unknown[] } };
      expect([code, error.code]).toEqual([3, "CONFIG_INVALID"]);
      expect(error.problems.length).toBeGreaterThan(1);
    });
  });
});
