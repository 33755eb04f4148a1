import { describe, expect, it } from "@jest/globals";
import { createTiering } from "../../src/cache/create-tiering.js";
import { silentLogger } from "../../src/contracts/logger.js";
import { parseTieringConfig } from "../../src/factory/parse-tiering-config.js";
import { testContainer } from "../support/tiering-container.js";
import { configOf } from "../unit/cache/cache-rig.js";

const OPTIONS: [key: string, value: unknown][] = [
  ["enable_kv_events", "false"],
  ["enable_kv_events", 0],
  ...["16", null, Number.NaN, Infinity, -1, 0, 1.5, 65, 1e9].map((value): [string, unknown] => [
    "n_read_threads",
    value,
  ]),
  ["deadline_s", "30"],
  ["root_dir", 5],
];

describe("F7: no option of a built-in tier is converted, wherever the config comes in", () => {
  it.each(OPTIONS)("%s does not take %p", async (key, value) => {
    const tier = { type: "fs", root_dir: "/x", [key]: value };
    const config = configOf(4, [tier]);
    const invalid = (path: string): object =>
      expect.objectContaining({ code: "CONFIG_INVALID", problems: [expect.objectContaining({ path })] });
    const path = `secondary_tiers[0].${key}`;
    expect(() => parseTieringConfig(config)).toThrow(invalid(path));
    await expect(createTiering(config, { logger: silentLogger })).rejects.toEqual(invalid(path));
    await expect(testContainer().factory.createSecondaryTier(tier)).rejects.toEqual(invalid(key));
  });

  it("but the largest number of threads is taken", () => {
    const tier = { type: "fs", root_dir: "/x", n_read_threads: 64, n_write_threads: 64 };
    expect(() => parseTieringConfig(configOf(4, [tier]))).not.toThrow();
  });

  it.each([
    ["enable_kv_cache_events", "false"],
    ["enable_kv_cache_events", 1],
    ["pending_deadline_s", "5"],
    ["block_bytes", "16"],
  ])("nor does %s at the top take %p", (key, value) => {
    expect(() => parseTieringConfig(configOf(4, [], { [key]: value }))).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining({ path: key })] }),
    );
  });
});
