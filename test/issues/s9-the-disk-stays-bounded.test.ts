import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { KvTierError } from "../../src/errors/kv-tier-error.js";
import { parseTieringConfig } from "../../src/factory/parse-tiering-config.js";
import { keyOf, TierRig } from "../../src/testing/conformance/tier-rig.js";
import { blockPathOf, FILE_BYTES, leaveFile, storedBlocks } from "../support/fs-blocks.js";
import { makeFsTier } from "../support/make-fs-tier.js";
import { filesBelow } from "../support/temp-folder.js";
import { DEADLINE_S, withHangs } from "../support/with-hangs.js";

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

describe("S9: the disk stays bounded", () => {
  it("trims what earlier runs left before it is ready, oldest first, and touches nothing foreign", () =>
    TierRig.use(
      async (env) => {
        // Block 0 is the oldest.
        for (const n of range(0, 25)) await leaveFile(blockPathOf(env, n), FILE_BYTES, 1000 - n);
        await writeFile(join(env.folder, "notes.txt"), "mine");
        return makeFsTier(env.folder, { context: env, config: { maxBytes: 10 * FILE_BYTES } });
      },
      async (rig) => {
        expect(await storedBlocks(rig.env.folder)).toEqual(range(15, 25));
        expect(rig.tier.getStats()).toMatchObject({ used: 10 * FILE_BYTES, evictions: 15 });
        expect(await readFile(join(rig.env.folder, "notes.txt"), "utf8")).toBe("mine");
      },
    ));

  it("counts and trims what other models left on the same root, and no file that only looks like it", () =>
    TierRig.use(
      async (env) => {
        const old = join(env.folder, "llama-2_0123456789ab_r0", "ab");
        await leaveFile(join(old, "abcd_g0.bin"), 5 * FILE_BYTES, 2000);
        await leaveFile(blockPathOf(env, 1), FILE_BYTES, 1000);
        // Not the sub-folder of its hash; not hex; not a folder of ours; upstream's layout.
        await leaveFile(join(old, "ffff_g0.bin"), 9000, 3000);
        await leaveFile(join(old, "abcx_g0.bin"), 9000, 3000);
        await leaveFile(join(env.folder, "llama-2", "ab", "abcd_g0.bin"), 9000, 3000);
        await leaveFile(join(env.folder, "llama-2_0123456789ab_r0", "abc", "de_g0", "abcd.bin"), 9000, 3000);
        return makeFsTier(env.folder, { context: env, config: { maxBytes: 3 * FILE_BYTES } });
      },
      async (rig) => {
        expect(await storedBlocks(rig.env.folder)).toEqual([1, 0xabc, 0xabcd, 0xabcd, 0xffff]);
        expect(rig.tier.getStats()).toMatchObject({ used: FILE_BYTES, evictions: 1 });
      },
    ));

  it("evicts the least recently used block for the next store, down to the low mark", () =>
    TierRig.use(
      (env) => makeFsTier(env.folder, { context: env, config: { maxBytes: 10 * FILE_BYTES, lowWater: 0.8 } }),
      async (rig) => {
        for (const n of range(0, 10)) await rig.store([n]);
        await rig.load([0], [20]);
        rig.tier.touch([], { reqId: "nobody" });
        expect((await rig.store([10])).success).toBe(true);
        expect(await storedBlocks(rig.env.folder)).toEqual([0, ...range(3, 11)]);
        expect(rig.tier.getStats()).toMatchObject({ used: 9 * FILE_BYTES, evictions: 2 });
        expect(await rig.verdict(1, "a")).toBe("miss");
      },
    ));

  it("says so in a block event", () =>
    TierRig.use(
      (env) =>
        makeFsTier(env.folder, {
          context: { ...env, enableKvEvents: true },
          config: { maxBytes: FILE_BYTES },
        }),
      async (rig) => {
        await rig.store([1]);
        await rig.store([2]);
        expect(rig.tier.takeEvents().map(({ keys, removed }) => [keys.length, removed])).toEqual([
          [1, false],
          [1, true],
          [1, false],
        ]);
      },
    ));

  it("fails a store cleanly when everything is in use, and stays below the limit", () =>
    withHangs(
      async ({ rig, disk, clock }) => {
        await rig.store([1, 2]);
        disk.set("read", { hang: true });
        const load = rig.submitLoad([1, 2], [10, 11]);
        await disk.untilHung(1);
        const result = await rig.store([3]);
        expect(result).toMatchObject({ success: false, transferBytes: 0 });
        expect(await storedBlocks(rig.env.folder)).toEqual([1, 2]);
        disk.release();
        expect((await rig.resultOf(load)).success).toBe(true);
        expect((await rig.store([3])).success).toBe(true);
        clock.advance(DEADLINE_S);
      },
      { maxBytes: 2 * FILE_BYTES },
    ));

  it.each([undefined, 2 * FILE_BYTES])("leaves nothing of a store that was given up, with max_bytes %j", (maxBytes) =>
    withHangs(
      async ({ rig, disk, clock }) => {
        disk.set("rename", { hang: true });
        const store = rig.submitStore([1], [0]);
        await disk.untilHung(1);
        clock.advance(DEADLINE_S);
        disk.release();
        expect((await rig.resultOf(store)).success).toBe(false);
        // Done after what is to be done already.
        await rig.tier.remove?.([keyOf(9)]);
        expect((await filesBelow(rig.env.folder)).filter((file) => file.endsWith(".tmp"))).toEqual([]);
        expect((await rig.store([2, 3])).success).toBe(true);
      },
      maxBytes === undefined ? {} : { maxBytes },
    ),
  );

  it("stores what fits of a job that is larger than the limit", () =>
    TierRig.use(
      (env) => makeFsTier(env.folder, { context: env, config: { maxBytes: 3 * FILE_BYTES } }),
      async (rig) => {
        expect((await rig.store(range(0, 8))).success).toBe(false);
        expect(await storedBlocks(rig.env.folder)).toEqual([0, 1, 2]);
        expect(rig.tier.getStats()).toMatchObject({ used: 3 * FILE_BYTES });
      },
    ));

  it.each([0, -1, 1.5, "0", "1.5", "many"])("refuses the limit %j", (max_bytes) => {
    const config = {
      cpu_bytes_to_use: 4096,
      block_bytes: 1024,
      model: { name: "m", dtype: "f16", tokens_per_block: 16 },
      secondary_tiers: [{ type: "fs", root_dir: "/kv", max_bytes }],
    };
    expect(() => parseTieringConfig(config)).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining("max_bytes") as unknown }),
    );
  });

  it("refuses a limit below one block, with the bytes that it needs", async () => {
    await TierRig.use(
      (env) => makeFsTier(env.folder, { context: env }),
      async ({ env }) => {
        const tier = makeFsTier(env.folder, { context: env, config: { maxBytes: FILE_BYTES - 1 } });
        const reason: unknown = await tier.initialize().catch((error: unknown) => error);
        expect(KvTierError.is(reason, "CONFIG_INVALID") && reason.problems).toMatchObject([{ path: "max_bytes" }]);
        await tier.shutdown();
      },
    );
  });
});
