import { describe, expect, it } from "@jest/globals";
import { brokenTier, CLI_FIXTURES, configOf, fileIn, kvtier, type CliRun } from "../support/cli-run.js";
import { withTempFolder } from "../support/temp-folder.js";

const validate = (content: unknown, ...args: string[]): Promise<CliRun> =>
  withTempFolder(async (folder) => kvtier("validate", await fileIn(folder, "config.json", content), ...args));

describe("kvtier validate", () => {
  it("says what a sound config makes", async () => {
    const { code, out, err } = await validate(
      configOf(1500, { type: "fs", root_dir: "/nowhere" }, { type: "example" }),
    );
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/config\.json: ok: a pool of 1,500 blocks of 1000 B \(lru\), then fs, example\n$/);
  });

  it("takes comments, and imports no module", async () => {
    const text = `// a comment\n${JSON.stringify(configOf(2, brokenTier("Nobody")))}`;
    const { code, err } = await validate(text, "--resolve-from", CLI_FIXTURES);
    expect([code, err]).toEqual([
      0,
      "note: what comes from ./broken-tiers.js is checked, with its options, when it is created\n",
    ]);
  });

  it("finds modules that are not there, or out of bounds, with their paths", async () => {
    const backpressure = { backpressure_cls: "@nobody/kv#Detector", policy_cls: "./nothing.js#Policy" };
    const config = {
      ...configOf(
        2,
        { type: "Mine", module_path: "../outside.js" },
        { type: "example", module_path: "./unused.js", backpressure },
      ),
      spec_name: "MySpec",
      spec_module_path: "./spec.js",
    };
    const { code, out } = await validate(config, "--resolve-from", CLI_FIXTURES, "--json");
    expect(code).toBe(3);
    expect(JSON.parse(out)).toEqual({
      valid: false,
      problems: [
        { path: "spec_module_path", message: expect.stringContaining("Module './spec.js' was not found") },
        { path: "secondary_tiers[0].module_path", message: expect.stringContaining("may not be loaded") },
        {
          path: "secondary_tiers[1].backpressure.backpressure_cls",
          message: expect.stringContaining("Module '@nobody/kv' was not found"),
        },
        {
          path: "secondary_tiers[1].backpressure.policy_cls",
          message: expect.stringContaining("Module './nothing.js' was not found"),
        },
      ],
    });
    const allowed = await validate(configOf(2, brokenTier("A")), "--resolve-from", "/", "--allow-module", "x");
    expect(allowed.err).toContain("secondary_tiers[0].module_path: Module './broken-tiers.js' was not found from /.");
  });

  it("tells of every problem with its path, one to a line", async () => {
    const config = { ...configOf(2, { type: "fs", root_dirr: "x" }, { type: "fss" }), eviction_policy: "fifo" };
    const { code, out, err } = await validate(config);
    expect([code, out]).toEqual([3, ""]);
    const [heading, ...lines] = err.trimEnd().split("\n");
    expect(heading).toMatch(/config\.json: 4 problems$/);
    const paths = lines.map((line) => line.trim().split(":")[0]).sort();
    expect(paths).toEqual([
      "eviction_policy",
      "secondary_tiers[0].root_dir",
      "secondary_tiers[0].root_dirr",
      "secondary_tiers[1].type",
    ]);
    expect(err).toContain("did you mean root_dir?");
  });

  it("points at a fault of the syntax by line and column", async () => {
    const { code, err } = await validate('{\n  "block_bytes": ,\n}');
    expect(code).toBe(3);
    expect(err).toMatch(/config\.json:2:18: value expected\n/);
  });

  it("says in one line why a file cannot be read", async () => {
    const { code, out, err } = await kvtier("validate", "/nowhere/config.json");
    expect([code, out]).toEqual([3, ""]);
    expect(err).toBe(
      "kvtier: The config file cannot be read: ENOENT: no such file or directory, open '/nowhere/config.json'\n",
    );
  });

  it("prints one JSON object, whatever it found", async () => {
    expect(JSON.parse((await validate(configOf(2, { type: "example" }), "--json")).out)).toEqual({
      valid: true,
      problems: [],
      numBlocks: 2,
      blockBytes: 1000,
      evictionPolicy: "lru",
      tiers: ["example"],
    });
    const invalid = await validate({ ...configOf(2), blok_bytes: 1 }, "--json");
    expect([invalid.code, invalid.err]).toEqual([3, ""]);
    expect(JSON.parse(invalid.out)).toEqual({
      valid: false,
      problems: [{ path: "blok_bytes", message: "unknown key, did you mean block_bytes?" }],
    });
    const unread = await kvtier("validate", "/nowhere/config.json", "--json");
    expect(JSON.parse(unread.out)).toEqual({ error: { message: expect.stringContaining("cannot be read") } });
  });

  it("shows no secret of a config that it refuses", async () => {
    const tier = { type: "fs", root_dir: 7, password: "hunter2-secret", url: "redis://me:hunter2-secret@host/" };
    const { code, out, err } = await validate(configOf(2, tier), "--json");
    expect(code).toBe(3);
    expect(out + err).toContain("secondary_tiers[0].password");
    expect(out + err).not.toContain("hunter2");
  });
});
