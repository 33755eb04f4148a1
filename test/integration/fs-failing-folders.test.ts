import { mkdirSync, rmSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { KvTierError } from "../../src/errors/kv-tier-error.js";
import { TierRig } from "../../src/testing/conformance/tier-rig.js";
import { FaultyDisk } from "../../src/testing/faulty-disk.js";
import { ManualClock } from "../../src/testing/manual-clock.js";
import type { DiskCall } from "../../src/testing/disk-fault.js";
import type { FsTierConfig } from "../../src/tiers/fs/fs-tier-config.js";
import { FILE_BYTES } from "../support/fs-blocks.js";
import { makeFsTier } from "../support/make-fs-tier.js";
import { recordingLogger } from "../support/recording-logger.js";
import { withHangs } from "../support/with-hangs.js";
import { withTempFolder } from "../support/temp-folder.js";

const BOUNDED: Partial<FsTierConfig> = { maxBytes: 100 * FILE_BYTES };

describe("fs, on a mount that hangs", () => {
  it.each<[DiskCall, Partial<FsTierConfig>]>([
    ["stat", {}],
    ["mkdir", BOUNDED],
    ["rename", {}],
  ])("ends its start with TIER_INIT_FAILED at the deadline (%s), and its end at once", (call, config) =>
    withTempFolder(async (root) => {
      const clock = new ManualClock();
      const disk = new FaultyDisk();
      disk.set(call, { hang: true });
      const tier = makeFsTier(`${root}/kv`, { context: { clock }, config: { ...config, deadlineS: 7 }, disk });
      try {
        const opening = tier.initialize().catch((error: unknown) => error);
        await disk.untilHung(1);
        clock.advance(7);
        const reason = await opening;
        expect(KvTierError.is(reason, "TIER_INIT_FAILED") && reason.message).toContain("did not answer within 7 s");
        await tier.shutdown();
      } finally {
        disk.close();
      }
    }),
  );

  it("is ready at the deadline when counting takes longer: loads are served, stores wait", () =>
    withTempFolder(async (root) => {
      const clock = new ManualClock();
      const disk = new FaultyDisk();
      disk.set("readdir", { hang: true });
      await TierRig.use(
        async (env) => {
          await TierRig.use(
            (other) => makeFsTier(root, { context: { ...other, offloadingSpec: env.offloadingSpec } }),
            async (writer) => void (await writer.store([1])),
          );
          const tier = makeFsTier(root, { context: { ...env, clock }, config: { ...BOUNDED, deadlineS: 7 }, disk });
          const initialize = tier.initialize.bind(tier);
          tier.initialize = async () => {
            const opening = initialize();
            await disk.untilHung(1);
            clock.advance(7);
            await opening;
          };
          return tier;
        },
        async (rig) => {
          try {
            expect((await rig.load([1], [10])).success).toBe(true);
            const store = rig.submitStore([2]);
            for (let i = 0; i < 20; i++) await nextTurn();
            expect(rig.tier.getFinishedJobs()).toEqual([]);
            disk.release();
            expect((await rig.resultOf(store)).success).toBe(true);
          } finally {
            disk.close();
          }
        },
      );
    }));
});

describe("fs, at its end,", () => {
  it.each([{}, BOUNDED])("answers a clear that it cuts off as one that comes too late, with %j", (config) =>
    withHangs(async ({ rig, disk }) => {
      await rig.store([1]);
      disk.set("unlink", { hang: true });
      const clearing = rig.tier.clear?.().catch((error: unknown) => error);
      await disk.untilHung(1);
      const closing = rig.tier.shutdown();
      disk.release();
      await closing;
      const late = await rig.tier.clear?.().catch((error: unknown) => error);
      expect(late).toMatchObject({ code: "INVALID_STATE" });
      expect(await clearing).toEqual(late);
    }, config),
  );

  it("keeps no later tier of its process from evicting when it could not give its lease back", () =>
    withHangs(
      async ({ rig, disk, clock }) => {
        await rig.store([1, 2]);
        disk.set("unlink", { error: "EIO" });
        await rig.tier.shutdown();
        disk.clear();
        await TierRig.use(
          (env) =>
            makeFsTier(rig.env.folder, {
              context: { ...env, clock, offloadingSpec: rig.env.offloadingSpec },
              config: { maxBytes: 2 * FILE_BYTES },
            }),
          async (next) => expect((await next.store([3, 4])).success).toBe(true),
        );
      },
      { maxBytes: 2 * FILE_BYTES },
    ));
});

describe.each<[string, Partial<FsTierConfig>]>([
  ["without a bound", {}],
  ["with a bound", BOUNDED],
])("fs on a folder that fails, %s", (_, config) => {
  it("misses while the folder is gone, and recovers when it comes back", () =>
    TierRig.use(
      (env) => makeFsTier(`${env.folder}/kv`, { context: env, config }),
      async (rig) => {
        const root = `${rig.env.folder}/kv`;
        await rig.store([1]);
        rmSync(root, { recursive: true });
        expect(await rig.verdict(1, "a")).toBe("miss");
        expect((await rig.load([1], [10])).success).toBe(false);
        expect((await rig.store([2])).success).toBe(false);
        await rig.tier.remove?.([]);
        mkdirSync(root);
        expect((await rig.store([3])).success).toBe(true);
        expect((await rig.load([3], [11])).success).toBe(true);
        expect(rig.slot(11)).toEqual(rig.bytesOf(3));
      },
    ));

  it.each(["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EIO", "EMFILE"] as const)(
    "says once what is wrong (%s), however many stores fail, and whatever succeeds in between",
    async (error) => {
      const { logger, lines } = recordingLogger();
      const disk = new FaultyDisk();
      await TierRig.use(
        (env) => makeFsTier(env.folder, { context: { ...env, logger, clock: new ManualClock() }, config, disk }),
        async (rig) => {
          disk.set("write", { error, every: 2 });
          const results = [];
          for (let n = 0; n < 60; n++) results.push((await rig.store([n])).success);
          expect(new Set(results)).toEqual(new Set([true, false]));
          expect(lines.filter(({ level }) => level === "warn" || level === "error")).toHaveLength(1);
          disk.clear();
          expect((await rig.store([100], [0])).success).toBe(true);
          disk.close();
        },
      );
    },
  );
});
