import { cp, open, readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import { keyOf, TierRig } from "../../src/testing/conformance/tier-rig.js";
import type { FsTierConfig } from "../../src/tiers/fs/fs-tier-config.js";
import { blockFileOf } from "../../src/tiers/fs/block-file.js";
import { fsNamespace } from "../../src/tiers/fs/namespace.js";
import { makeFsTier } from "../support/make-fs-tier.js";
import { recordingLogger } from "../support/recording-logger.js";
import { filesBelow } from "../support/temp-folder.js";

const pathOf = ({ env }: TierRig, n: number): string =>
  join(
    env.folder,
    fsNamespace(env.offloadingSpec.model, env.offloadingSpec.blockBytes).blocks,
    blockFileOf(keyOf(n)) ?? "",
  );

async function flipBit(path: string, at: number): Promise<void> {
  const file = await open(path, "r+");
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  byte[0] = (byte[0] ?? 0) ^ 1;
  await file.write(byte, 0, 1, at);
  await file.close();
}

/** `body` with a tier that other options' tiers can follow on the same folder. */
const withTier = (config: Partial<FsTierConfig>, body: (rig: TierRig) => Promise<void>): Promise<void> =>
  TierRig.use((env) => makeFsTier(env.folder, { context: env, config }), body);

const reopened = (rig: TierRig, config: Partial<FsTierConfig>, body: (rig: TierRig) => Promise<void>): Promise<void> =>
  TierRig.use((env) => makeFsTier(rig.env.folder, { context: env, config }), body);

describe("S11: bit rot of the same length is never loaded", () => {
  it.each([0, 500, 999, 1000, 1010, 1020, 1030])(
    "finds a flipped bit in byte %i of the file: a miss, a count, a warning, and the file is gone",
    async (at) => {
      const { lines, logger } = recordingLogger();
      await TierRig.use(
        (env) => makeFsTier(env.folder, { context: { ...env, logger } }),
        async (rig) => {
          await rig.store([1, 2]);
          await flipBit(pathOf(rig, 1), at);
          expect(await rig.verdict(1, "a")).toBe(LookupResult.Hit);
          const { success, successfulKeys } = await rig.load([1, 2], [10, 11]);
          expect({ success, successfulKeys }).toEqual({ success: false, successfulKeys: [keyOf(2)] });
          expect(await rig.verdict(1, "a")).toBe(LookupResult.Miss);
          expect(rig.tier.getStats()).toMatchObject({ checksumFailures: 1 });
          expect(lines.filter(({ level, message }) => level === "warn" && message.includes("damaged"))).toHaveLength(1);
          expect((await filesBelow(rig.env.folder)).filter((file) => file.endsWith(".bin"))).toHaveLength(1);

          expect((await rig.store([1])).success).toBe(true);
          expect((await rig.load([1], [10])).success).toBe(true);
          expect(rig.slot(10)).toEqual(rig.bytesOf(1));
        },
      );
    },
  );

  it("finds a block that lies under another's name", () =>
    withTier({}, async (rig) => {
      await rig.store([1, 2]);
      const other = await readFile(pathOf(rig, 2));
      const file = await open(pathOf(rig, 1), "r+");
      await file.write(other, 0, other.length, 0);
      await file.close();
      expect((await rig.load([1], [10])).success).toBe(false);
      expect(rig.tier.getStats()).toMatchObject({ checksumFailures: 1 });
    }));

  it("finds a block that was copied from the folder of another model, under its own name", () =>
    withTier({}, async (rig) => {
      await rig.store([1]);
      await TierRig.use(
        (env) => {
          const { offloadingSpec } = env;
          const model = { ...offloadingSpec.model, dtype: "fp8" };
          return makeFsTier(rig.env.folder, { context: { ...env, offloadingSpec: { ...offloadingSpec, model } } });
        },
        async (other) => {
          const { model } = rig.env.offloadingSpec;
          const to = fsNamespace({ ...model, dtype: "fp8" }, 1000).blocks;
          await cp(join(rig.env.folder, fsNamespace(model, 1000).blocks), join(rig.env.folder, to), {
            recursive: true,
          });
          expect(await other.verdict(1, "a")).toBe(LookupResult.Hit);
          expect((await other.load([1], [10])).success).toBe(false);
          expect(other.tier.getStats()).toMatchObject({ checksumFailures: 1 });
        },
      );
    }));

  it("loads what is there when checksums are off", () =>
    withTier({}, async (rig) => {
      await rig.store([1]);
      await flipBit(pathOf(rig, 1), 7);
      await reopened(rig, { checksum: false }, async (unchecked) => {
        expect((await unchecked.load([1], [10])).success).toBe(true);
        expect(unchecked.tier.getStats()).toMatchObject({ checksumFailures: 0 });
      });
    }));

  it("loads a block that was stored without a checksum, and one with it when they are off", () =>
    withTier({ checksum: false }, async (rig) => {
      await rig.store([1]);
      expect(await readFile(pathOf(rig, 1))).toHaveLength(1000);
      await reopened(rig, {}, async (checked) => {
        expect(await checked.verdict(1, "a")).toBe(LookupResult.Hit);
        expect((await checked.load([1], [10])).success).toBe(true);
        expect(checked.slot(10)).toEqual(rig.bytesOf(1));
        await checked.store([2]);
        expect(await readFile(pathOf(rig, 2))).toHaveLength(1032);
      });
      expect((await rig.load([2], [11])).success).toBe(true);
      expect(rig.slot(11)).toEqual(rig.bytesOf(2));
    }));

  it("takes a file with half a trailer for torn", () =>
    withTier({}, async (rig) => {
      await rig.store([1]);
      await truncate(pathOf(rig, 1), 1016);
      expect(await rig.verdict(1, "a")).toBe(LookupResult.Miss);
      expect((await rig.load([1], [10])).success).toBe(false);
      expect(rig.tier.getStats()).toMatchObject({ checksumFailures: 0 });
    }));
});
