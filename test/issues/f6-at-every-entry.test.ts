import { describe, expect, it } from "@jest/globals";
import { createTiering } from "../../src/cache/create-tiering.js";
import { silentLogger } from "../../src/contracts/logger.js";
import { KvTierError } from "../../src/errors/kv-tier-error.js";
import { parseTieringConfig } from "../../src/factory/parse-tiering-config.js";
import { errorOf, FIXTURES, testContainer } from "../support/tiering-container.js";
import { configOf } from "../unit/cache/cache-rig.js";

const EMA = { backpressure_cls: "EMABackpressureDetector" };
const FAULTS: [tier: object, path: string][] = [
  [{ type: "fs", root_dir: "/x", root_dirr: "/y" }, "root_dirr"],
  [{ type: "fs", root_dir: "/x", backpressure: { ...EMA, high_watter_s: 1 } }, "backpressure.high_watter_s"],
  [{ type: "fs", root_dir: "/x", backpressure: { ...EMA, policy: { ramp: 1 } } }, "backpressure.policy.ramp"],
  [{ type: "example", localty: "LOCAL" }, "localty"],
];

const problemsOf = async (run: () => unknown): Promise<string[]> => {
  const error = await errorOf(run);
  if (!KvTierError.is(error, "CONFIG_INVALID")) throw error;
  return error.problems.map(({ path }) => path);
};

describe("F6: a misspelt key of a built-in tier is found wherever the config comes in", () => {
  it.each(FAULTS)("%j", async (tier, path) => {
    const expected = [`secondary_tiers[0].${path}`];
    const config = configOf(4, [tier]);
    expect(await problemsOf(() => parseTieringConfig(config))).toEqual(expected);
    expect(await problemsOf(() => createTiering(config, { logger: silentLogger }))).toEqual(expected);
    const { factory } = testContainer();
    expect(await problemsOf(() => factory.createSecondaryTier({ ...tier }, { index: 0 }))).toEqual(expected);
  });

  it("and each in a list of tiers at once, with its own index", async () => {
    const config = configOf(
      4,
      FAULTS.map(([tier]) => tier),
    );
    expect(await problemsOf(() => parseTieringConfig(config))).toEqual(
      FAULTS.map(([, path], index) => `secondary_tiers[${index}].${path}`),
    );
  });

  it("but keys of a tier from elsewhere are its own affair, from the file to the tier", async () => {
    const config = configOf(4, [{ type: "FreeTier", module_path: "./acme.ts", root_dirr: "/y", nested: { any: [1] } }]);
    const { manager, close } = await createTiering(config, { resolveFrom: FIXTURES, logger: silentLogger });
    expect(manager.getStats().tiers[0]?.label).toBe("1:FreeTier");
    await close();
  });
});
