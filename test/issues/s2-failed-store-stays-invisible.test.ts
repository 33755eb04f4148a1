import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import { keyOf, TierRig } from "../../src/testing/conformance/tier-rig.js";
import type { DiskCall, DiskFault } from "../../src/testing/disk-fault.js";
import { FaultyDisk } from "../../src/testing/faulty-disk.js";
import { blockFileOf } from "../../src/tiers/fs/block-file.js";
import type { FsTierConfig } from "../../src/tiers/fs/fs-tier-config.js";
import { fsNamespace } from "../../src/tiers/fs/namespace.js";
import { makeFsTier } from "../support/make-fs-tier.js";
import { filesBelow } from "../support/temp-folder.js";

/** Files of the tier's folder but for the description of the namespace, and the lease. */
const blockFilesOf = async (rig: TierRig): Promise<string[]> =>
  (await filesBelow(rig.env.folder)).filter((file) => !/config\.json$|^evict\.lock$/.test(file));

describe.each<[string, Partial<FsTierConfig>]>([
  ["without a bound", {}],
  ["with a bound", { maxBytes: 2 ** 20 }],
])("S2: a store that failed is never visible, %s", (_, config) => {
  function withFaults(body: (rig: TierRig, disk: FaultyDisk) => Promise<void>): () => Promise<void> {
    const disk = new FaultyDisk();
    return () =>
      TierRig.use(
        (env) => makeFsTier(env.folder, { context: env, config, disk }),
        (rig) => body(rig, disk),
      );
  }

  it.each<[DiskCall, DiskFault]>([
    ["write", { error: "ENOSPC", afterHalf: true }],
    ["close", { error: "EIO" }],
    ["rename", { error: "EIO" }],
  ])(
    "leaves no block, no file and no bytes in the books (%s), and a later store heals it",
    async (call, fault) => {
      await withFaults(async (rig, disk) => {
        disk.set(call, fault);
        const result = await rig.store([1, 2]);
        expect(result).toMatchObject({ success: false, transferBytes: 0 });
        expect(await rig.verdict(1, "a")).toBe(LookupResult.Miss);
        expect(await blockFilesOf(rig)).toEqual([]);
        expect(rig.tier.getStats().used ?? 0).toBe(0);
        expect((await rig.load([1], [9])).success).toBe(false);

        disk.clear();
        expect(await rig.store([1, 2])).toMatchObject({ success: true, transferBytes: 2000 });
        expect(await rig.verdict(1, "b")).toBe(LookupResult.Hit);
        await rig.load([1], [9]);
        expect(rig.slot(9)).toEqual(rig.bytesOf(1));
      })();
    },
    20_000,
  );

  it("goes on after writes and reads that move a few bytes at a time", async () => {
    await withFaults(async (rig, disk) => {
      disk.set("write", { maxBytes: 7 });
      await rig.store([1]);
      disk.set("read", { maxBytes: 7 });
      expect(await rig.load([1], [9])).toMatchObject({ success: true });
      expect(rig.slot(9)).toEqual(rig.bytesOf(1));
    })();
  });

  it("takes a torn file for a miss, also when it is torn after the look-up, and removes it", async () => {
    await withFaults(async (rig) => {
      const { blocks } = fsNamespace(rig.env.offloadingSpec.model, rig.env.offloadingSpec.blockBytes);
      const fileOf = (n: number): string => join(blocks, blockFileOf(keyOf(n)) ?? "");
      await rig.store([1, 2, 3]);
      await truncate(join(rig.env.folder, fileOf(1)), 999);
      await rig.tier.shutdown();

      const again = makeFsTier(rig.env.folder, { context: rig.env, config });
      await TierRig.use(
        () => again,
        async (reader) => {
          expect(await reader.verdict(1, "a")).toBe(LookupResult.Miss);
          expect(await reader.verdict(2, "a")).toBe(LookupResult.Hit);
          await truncate(join(rig.env.folder, fileOf(2)), 500);
          const { success, successfulKeys } = await reader.load([2, 3], [10, 11]);
          expect({ success, successfulKeys }).toEqual({ success: false, successfulKeys: [keyOf(3)] });
          expect(await reader.verdict(2, "a")).toBe(LookupResult.Miss);
          expect(await blockFilesOf(rig)).toEqual([fileOf(1), fileOf(3)].sort());
        },
      );
    })();
  });
});
