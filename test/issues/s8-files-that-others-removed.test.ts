import { rmSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import type { FsTierConfig } from "../../src/tiers/fs/fs-tier-config.js";
import { TierRig } from "../../src/testing/conformance/tier-rig.js";
import { FaultyDisk } from "../../src/testing/faulty-disk.js";
import { blockPathOf, FILE_BYTES, storedBlocks } from "../support/fs-blocks.js";
import { makeFsTier } from "../support/make-fs-tier.js";
import { recordingLogger, type LogLine } from "../support/recording-logger.js";

/** Room for two blocks. */
const CONFIG: Partial<FsTierConfig> = { maxBytes: 2 * FILE_BYTES, lowWater: 1 };

interface Parts {
  readonly rig: TierRig;
  readonly disk: FaultyDisk;
  readonly lines: readonly LogLine[];
}

async function withTwo(body: (parts: Parts) => Promise<void>): Promise<void> {
  const disk = new FaultyDisk();
  const { logger, lines } = recordingLogger();
  await TierRig.use(
    (env) => makeFsTier(env.folder, { context: { ...env, logger }, config: CONFIG, disk }),
    async (rig) => {
      await rig.store([1]);
      await rig.store([2]);
      try {
        await body({ rig, disk, lines });
      } finally {
        disk.close();
      }
    },
  );
}

describe("S8: files that others removed, or that cannot be removed", () => {
  it("evicts a file that is gone already, and takes the next if that is not enough", () =>
    withTwo(async ({ rig }) => {
      rmSync(blockPathOf(rig.env, 1));
      expect((await rig.store([3])).success).toBe(true);
      expect(await storedBlocks(rig.env.folder)).toEqual([2, 3]);
      expect(rig.tier.getStats()).toMatchObject({ used: 2 * FILE_BYTES, evictions: 0 });
    }));

  it("loads a block that is gone as a miss, and has it out of the books", () =>
    withTwo(async ({ rig }) => {
      expect(await rig.verdict(1, "a")).toBe("hit");
      rmSync(blockPathOf(rig.env, 1));
      expect((await rig.load([1], [10])).success).toBe(false);
      expect(await rig.verdict(1, "a")).toBe("miss");
      expect((await rig.store([3])).success).toBe(true);
      expect(await storedBlocks(rig.env.folder)).toEqual([2, 3]);
    }));

  it.each(["EACCES", "EBUSY", "EPERM"] as const)(
    "tries the next one when a file cannot be removed (%s), logs it once, and keeps it in the books",
    (error) =>
      withTwo(async ({ rig, disk, lines }) => {
        disk.set("unlink", { error, every: 2 });
        for (const n of [3, 4, 5]) await rig.store([n]);
        disk.clear();
        const stored = await storedBlocks(rig.env.folder);
        expect(stored.length).toBeLessThanOrEqual(2);
        expect(rig.tier.getStats()).toMatchObject({ used: stored.length * FILE_BYTES });
        const warnings = lines.filter(({ level, message }) => level === "warn" && message.includes("evicted"));
        expect(warnings).toHaveLength(1);
      }),
  );

  it("fails stores cleanly while no file can be removed, and goes on when they can", () =>
    withTwo(async ({ rig, disk }) => {
      disk.set("unlink", { error: "EACCES" });
      for (const n of [3, 4, 5]) expect((await rig.store([n])).success).toBe(false);
      expect(await storedBlocks(rig.env.folder)).toEqual([1, 2]);
      expect(rig.tier.getStats()).toMatchObject({ used: 2 * FILE_BYTES, evictions: 0 });
      disk.clear();
      expect((await rig.load([1], [10])).success).toBe(true);
    }));
});
