import { rmSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import type { ConfigProblem } from "../../../../src/errors/kv-tier-error.js";
import { KvTierError } from "../../../../src/errors/kv-tier-error.js";
import { parseTieringConfig } from "../../../../src/factory/parse-tiering-config.js";
import { keyOf, TierRig } from "../../../../src/testing/conformance/tier-rig.js";
import type { FsTierConfig } from "../../../../src/tiers/fs/fs-tier-config.js";
import { FILE_BYTES, storedBlocks } from "../../../support/fs-blocks.js";
import { makeFsTier } from "../../../support/make-fs-tier.js";

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

/** A tier over `<folder>/a`, `b` and `c`. */
function sharded(config: Partial<FsTierConfig>, body: (rig: TierRig) => Promise<void>): Promise<void> {
  return TierRig.use(
    (env) =>
      makeFsTier(["a", "b", "c"].map((name) => join(env.folder, name)).join(", "), {
        context: env,
        config: { pathSharding: "by_block_hash", ...config },
      }),
    body,
  );
}

function problemsOf(options: Record<string, unknown>): readonly ConfigProblem[] {
  const config = {
    cpu_bytes_to_use: 4096,
    block_bytes: 1024,
    model: { name: "m", dtype: "f16", tokens_per_block: 16 },
    secondary_tiers: [{ type: "fs", ...options }],
  };
  try {
    parseTieringConfig(config);
    return [];
  } catch (error) {
    return KvTierError.is(error, "CONFIG_INVALID") ? error.problems : [];
  }
}

describe("fs over several folders", () => {
  it("puts each block below the folder of its hash, with one description of the namespace each", () =>
    sharded({}, async (rig) => {
      await rig.store(range(0, 12));
      const { folder } = rig.env;
      // Keys of the rig are the number itself, as a hash of 32 bytes.
      expect(await storedBlocks(join(folder, "a"))).toEqual([0, 3, 6, 9]);
      expect(await storedBlocks(join(folder, "b"))).toEqual([1, 4, 7, 10]);
      expect(await storedBlocks(join(folder, "c"))).toEqual([2, 5, 8, 11]);
      const names = await Promise.all(["a", "b", "c"].map((name) => readdir(join(folder, name))));
      expect(new Set(names.map((of) => of.sort().join())).size).toBe(1);

      await rig.load(range(0, 12), range(20, 32));
      for (const n of range(0, 12)) expect(rig.slot(20 + n)).toEqual(rig.bytesOf(n));
      await rig.tier.remove?.([keyOf(4)]);
      expect(await rig.verdict(4, "a")).toBe("miss");
      await rig.tier.clear?.();
      expect(await storedBlocks(folder)).toEqual([]);
    }));

  it("loses only the blocks of a folder that fails", () =>
    sharded({}, async (rig) => {
      await rig.store(range(0, 9));
      rmSync(join(rig.env.folder, "b"), { recursive: true });
      await writeFile(join(rig.env.folder, "b"), "in the way");
      const verdicts = await Promise.all(range(0, 9).map((n) => rig.verdict(n, "a")));
      expect(verdicts).toEqual(range(0, 9).map((n) => (n % 3 === 1 ? "miss" : "hit")));
      const load = await rig.load(range(0, 9), range(20, 29));
      expect(load.successfulKeys).toEqual([0, 2, 3, 5, 6, 8].map(keyOf));
      const store = await rig.store(range(9, 12));
      expect(store.success).toBe(false);
      expect(await rig.verdict(9, "b")).toBe("hit");
      expect(await rig.verdict(11, "b")).toBe("hit");
    }));

  it("gives each folder an equal share of max_bytes", () =>
    sharded({ maxBytes: 6 * FILE_BYTES + 2 }, async (rig) => {
      for (const n of range(0, 30)) await rig.store([n]);
      expect(await storedBlocks(rig.env.folder)).toEqual(range(24, 30));
      expect(rig.tier.getStats()).toMatchObject({ used: 6 * FILE_BYTES, evictions: 24 });
    }));

  it.each<[Record<string, unknown>, string, string]>([
    [{ root_dir: "/a,/b" }, "secondary_tiers[0].root_dir", "needs path_sharding"],
    [{ root_dir: "/a,,/b", path_sharding: "by_block_hash" }, "secondary_tiers[0].root_dir", "empty folder"],
    [{ root_dir: "/a, ", path_sharding: "by_block_hash" }, "secondary_tiers[0].root_dir", "empty folder"],
    [{ root_dir: "/a,/b/../a/", path_sharding: "by_block_hash" }, "secondary_tiers[0].root_dir", "twice"],
    [{ root_dir: "/a,/b", path_sharding: "round_robin" }, "secondary_tiers[0].path_sharding", "by_block_hash"],
    [{ root_dir: "/a", path_sharding: "" }, "secondary_tiers[0].path_sharding", "by_block_hash"],
    [{ root_dir: "/a", max_bytes: 100 }, "secondary_tiers[0].max_bytes", "must have room for a block"],
    [
      { root_dir: "/a,/b", path_sharding: "by_block_hash", max_bytes: 1100 },
      "secondary_tiers[0].max_bytes",
      "2.06 KiB",
    ],
  ])("refuses %j", (options, path, message) => {
    expect(problemsOf(options)).toEqual([{ path, message: expect.stringContaining(message) as unknown }]);
  });

  it.each<Record<string, unknown>>([
    { root_dir: "/a" },
    { root_dir: "/a", path_sharding: "by_block_hash" },
    { rootDir: "/a, /b", pathSharding: "by_block_hash" },
  ])("takes %j", (options) => {
    expect(problemsOf(options)).toEqual([]);
  });
});
