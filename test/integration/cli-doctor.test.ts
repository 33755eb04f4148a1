import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import type { TierDiagnosis } from "../../src/cli/doctor/doctor.js";
import { brokenTier, CLI_FIXTURES, configOf, fileIn, kvtier, type CliRun } from "../support/cli-run.js";
import { filesBelow, withTempFolder } from "../support/temp-folder.js";

interface Diagnosis extends CliRun {
  readonly ok: boolean;
  readonly tiers: TierDiagnosis[];
}

async function diagnose(tiers: object[], ...args: string[]): Promise<Diagnosis> {
  return withTempFolder(async (folder) => {
    const config = await fileIn(folder, "c.json", configOf(1, ...tiers));
    const run = await kvtier("doctor", config, "--json", "--resolve-from", CLI_FIXTURES, ...args);
    return { ...run, ...(JSON.parse(run.out) as { ok: boolean; tiers: TierDiagnosis[] }) };
  });
}

async function madeFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  return path;
}

describe("kvtier doctor", () => {
  it("finds sound tiers sound, and takes the times", async () => {
    await withTempFolder(async (root) => {
      const { code, ok, tiers } = await diagnose([{ type: "example" }, { type: "fs", root_dir: root }]);
      expect([code, ok]).toEqual([0, true]);
      expect(tiers).toEqual(
        ["example", "fs"].map((type, index) => ({
          index,
          type,
          ok: true,
          writeS: expect.any(Number),
          readS: expect.any(Number),
          cleanedUp: true,
          problem: null,
          log: [],
        })),
      );
    });
  });

  it("leaves nothing of its own in a folder, and everything of others", async () => {
    await withTempFolder(async (root) => {
      const tier = { type: "fs", root_dir: root };
      await diagnose([tier]);
      const [config] = await filesBelow(root);
      expect(config).toMatch(/config\.json$/);
      const blocks = join(root, String(config).replace("/config.json", "_r0"), "ab");
      const theirs = await fileIn(await madeFolder(blocks), "0123_g0.bin", "somebody's block");
      // Twice the same tier: each check has a block of its own, so neither finds the other's.
      expect((await diagnose([tier, tier])).code).toBe(0);
      expect(await filesBelow(root)).toEqual([config, theirs.slice(root.length + 1)].sort());
    });
  });

  it.each([
    ["FlippingTier", "byte 5 of the block came back wrong"],
    ["IdleTier", "byte 0 of the block came back wrong"],
    ["ForgettingTier", "the block was stored, but is not found again"],
    ["PhantomTier", "it claims to hold a block that nobody stored"],
    ["FullTier", "the store failed"],
    ["Absent", "has no export 'Absent'"],
  ])("finds what is wrong with a %s", async (type, problem) => {
    const { code, ok, tiers } = await diagnose([brokenTier(type)]);
    expect([code, ok]).toEqual([1, false]);
    expect(tiers[0]?.problem).toContain(problem);
  });

  it("tells what a tier logged of its failure", async () => {
    const { tiers } = await diagnose([brokenTier("FullTier")]);
    expect(tiers[0]?.log.join("\n")).toContain("no space left");
  });

  it("checks the other tiers, whatever became of one", async () => {
    const broken = ["RefusedTier", "FullTier", "Absent"].map((type) => brokenTier(type));
    const { code, tiers } = await diagnose([...broken, { type: "example" }]);
    expect(code).toBe(1);
    expect(tiers.map(({ ok }) => ok)).toEqual([false, false, false, true]);
  });

  it("gives up on a tier that hangs", async () => {
    const { code, tiers } = await diagnose([brokenTier("StuckTier"), { type: "example" }], "--timeout", "0.05");
    expect(code).toBe(1);
    expect(tiers[0]?.problem).toMatch(/^the store did not end within 0\.05 s/);
    expect(tiers[1]?.ok).toBe(true);
  });

  it("says so when a tier keeps the block of the check", async () => {
    const { code, tiers } = await diagnose([brokenTier("SoundTier")]);
    expect([code, tiers[0]?.ok, tiers[0]?.cleanedUp]).toEqual([0, true, false]);
  });

  it("shows no secret that a tier quotes", async () => {
    const { err, out, tiers } = await diagnose([brokenTier("RefusedTier", { password: "hunter2-secret" })]);
    expect(tiers[0]?.problem).toContain("the server refused the password '[redacted]'");
    expect(out + err).not.toContain("hunter2");
  });

  it("prints a table for people, with the reasons below", async () => {
    await withTempFolder(async (folder) => {
      const config = await fileIn(folder, "c.json", configOf(1, { type: "example" }, brokenTier("FlippingTier")));
      const { code, out, err } = await kvtier("doctor", config, "--resolve-from", CLI_FIXTURES);
      expect(code).toBe(1);
      expect(out).toMatch(/secondary_tiers\[0\] \(example\) +│ ok +│ [\d.]+ [µm]?s +│ [\d.]+ [µm]?s/);
      expect(out).toMatch(/secondary_tiers\[1\] \(FlippingTier\) +│ FAILED/);
      expect(out).toContain(
        "secondary_tiers[1] (FlippingTier): byte 5 of the block came back wrong: do not use this tier",
      );
      expect(out + err).not.toMatch(/\n\s+at /);
    });
  });

  it("is fine with a config without tiers, and exits with 3 on an invalid one", async () => {
    expect((await diagnose([])).code).toBe(0);
    await withTempFolder(async (folder) => {
      const config = await fileIn(folder, "c.json", configOf(1, { type: "nope" }));
      expect((await kvtier("doctor", config)).code).toBe(3);
    });
  });

  it("names a tier that cannot be made once", async () => {
    await withTempFolder(async (folder) => {
      const config = await fileIn(folder, "c.json", configOf(2, brokenTier("Absent")));
      const { out } = await kvtier("doctor", config, "--resolve-from", CLI_FIXTURES);
      expect(out).toContain("secondary_tiers[0] (Absent): Module './broken-tiers.js' (from ");
    });
  });
});
