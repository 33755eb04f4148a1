import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import type { BenchRate, BenchResult } from "../../src/cli/bench/bench-result.js";
import { brokenTier, CLI_FIXTURES, configOf, fileIn, kvtier, type CliRun } from "../support/cli-run.js";
import { filesBelow, withTempFolder } from "../support/temp-folder.js";

/** As short as can be: one pass. */
const SECONDS = "0.001";

async function run(config: object, ...args: string[]): Promise<CliRun> {
  return withTempFolder(async (folder) => {
    const file = await fileIn(folder, "c.json", config);
    return kvtier("bench", file, "--seconds", SECONDS, "--resolve-from", CLI_FIXTURES, ...args);
  });
}

async function bench(config: object): Promise<BenchResult & { code: number }> {
  const { code, out } = await run(config, "--json");
  return { code, ...(JSON.parse(out) as BenchResult) };
}

function expectPlausible({ gbPerS, blocksPerS, latencyS }: BenchRate): void {
  expect(gbPerS).toBeCloseTo((blocksPerS * 1000) / 1e9, 9);
  expect(blocksPerS).toBeGreaterThan(0);
  expect(latencyS.p50).toBeGreaterThan(0);
  expect(latencyS.p95).toBeGreaterThanOrEqual(latencyS.p50);
  expect(latencyS.p99).toBeGreaterThanOrEqual(latencyS.p95);
}

describe("kvtier bench", () => {
  it("measures stores and loads of every tier", async () => {
    await withTempFolder(async (root) => {
      const result = await bench(configOf(4, { type: "example" }, { type: "fs", root_dir: root }));
      expect(result).toMatchObject({ code: 0, ok: true, blockBytes: 1000, inFlight: 8 });
      expect(result.tiers.map(({ index, type, ok }) => ({ index, type, ok }))).toEqual([
        { index: 0, type: "example", ok: true },
        { index: 1, type: "fs", ok: true },
      ]);
      for (const { figures, problem, log, cleanedUp } of result.tiers) {
        expect({ problem, log, cleanedUp }).toEqual({ problem: null, log: [], cleanedUp: true });
        if (figures === null) throw new Error("no figures");
        expectPlausible(figures.store);
        expectPlausible(figures.load);
      }
    });
  });

  it("recommends watermarks that a config takes as they are printed", async () => {
    await withTempFolder(async (folder) => {
      const { code, out } = await run(configOf(4, { type: "example" }));
      expect(code).toBe(0);
      const [, snippet = ""] = /^ +("backpressure": \{.*\})$/m.exec(out) ?? [];
      const tier: unknown = JSON.parse(`{ "type": "example", ${snippet} }`);
      const { high_water_s: high = 0, low_water_s: low = 0 } = (tier as { backpressure: Record<string, number> })
        .backpressure;
      expect(low).toBeGreaterThan(0);
      expect(high).toBeGreaterThanOrEqual(2 * low);
      const pasted = await fileIn(folder, "c.json", configOf(4, tier as object));
      expect((await kvtier("validate", pasted)).code).toBe(0);
    });
  });

  it("leaves a folder as it was, whatever is in it", async () => {
    await withTempFolder(async (root) => {
      await mkdir(join(root, "somebody"));
      await writeFile(join(root, "somebody", "file.bin"), "theirs");
      for (const type of ["fs", "log"]) {
        expect((await bench(configOf(4, { type, root_dir: root, max_bytes: 4_000_000 }))).code).toBe(0);
      }
      expect(await filesBelow(root)).toEqual(["somebody/file.bin"]);
    });
  });

  it("leaves no folder that was not there before", async () => {
    await withTempFolder(async (folder) => {
      expect((await bench(configOf(4, { type: "fs", root_dir: join(folder, "new", "kv") }))).code).toBe(0);
      expect(existsSync(join(folder, "new"))).toBe(false);
    });
  });

  it("measures the tier, not its backpressure", async () => {
    const strict = { backpressure_cls: "EMABackpressureDetector", high_water_s: 1e-12, low_water_s: 0 };
    const backpressure = { ...strict, policy_cls: "DropStorePolicy", warmup_completions: 0 };
    const result = await bench(configOf(4, { type: "example", backpressure }));
    expect(result).toMatchObject({ code: 0, tiers: [{ ok: true, problem: null }] });
  });

  it("measures a tier that keeps fewer blocks than it is given, as long as it keeps those of a request", async () => {
    const result = await bench(configOf(4, { type: "example", capacity_blocks: 80 }));
    expect(result).toMatchObject({ code: 0, tiers: [{ ok: true }] });
  });

  it("says so when a tier cannot remove the blocks of the bench", async () => {
    const { code, out } = await run(configOf(4, brokenTier("SoundTier")));
    expect(code).toBe(0);
    expect(out).toContain("secondary_tiers[0] (SoundTier): blocks of the bench are still stored");
  });

  it("fails on wrong bytes, and measures the other tiers all the same", async () => {
    const result = await bench(configOf(4, brokenTier("FlippingTier"), { type: "example" }));
    expect(result).toMatchObject({ code: 1, ok: false, tiers: [{ ok: false, figures: null }, { ok: true }] });
    expect(result.tiers[0]?.problem).toContain("wrong bytes");
  });

  it("fails when nothing that was stored comes back", async () => {
    const result = await bench(configOf(4, brokenTier("ForgettingTier")));
    expect(result).toMatchObject({
      code: 1,
      tiers: [{ problem: expect.stringContaining("no request could be loaded") }],
    });
  });

  it("names a tier that cannot be made once", async () => {
    const { code, out } = await run(configOf(4, brokenTier("Absent")));
    expect(code).toBe(1);
    expect(out).toContain("secondary_tiers[0] (Absent): Module './broken-tiers.js' (from ");
  });

  it("has nothing to measure without tiers", async () => {
    const { code, out } = await run(configOf(4));
    expect({ code, out }).toEqual({
      code: 0,
      out: "The config has no secondary tiers: there is nothing to measure.\n",
    });
  });

  it("exits with 3 on a bad config, and with 2 on wrong usage", async () => {
    expect((await run(configOf(4, { type: "nope" }))).code).toBe(3);
    expect((await run(configOf(4), "--seconds", "0")).code).toBe(2);
  });
});
