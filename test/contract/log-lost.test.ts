import { mkdir, readdir, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import { PrimaryKvView } from "../../src/primary/primary-kv-view.js";
import { keyOf, type TierRig } from "../../src/testing/conformance/tier-rig.js";
import { FaultyDisk } from "../../src/testing/faulty-disk.js";
import { ManualClock } from "../../src/testing/manual-clock.js";
import type { LogTier } from "../../src/tiers/log/log-tier.js";
import { OwnerFiles } from "../../src/tiers/log/owner-files.js";
import { BLOCK_BYTES, heldIn, segmentFolder, segmentNames, segmentsOf, withLog } from "../support/log-rig.js";
import { makeLogTier } from "../support/make-log-tier.js";
import { recordingLogger } from "../support/recording-logger.js";
import { withTempFolder } from "../support/temp-folder.js";

const config = segmentsOf(4, 3);
const NONCE = "0123456789abcdef";

/** Makes a process on another machine the owner, in the place of the one that is. */
async function takeOver(root: string): Promise<OwnerFiles> {
  const [token = ""] = await readdir(join(segmentFolder(root), "owner.lock"));
  const identity = { host: "far-away", pid: 4711, boot: "b", pidNamespace: "n" };
  const other = await OwnerFiles.create(segmentFolder(root), NONCE, identity);
  expect(await other.succeed(token.replace(".lock", ""))).toBe(true);
  return other;
}

/** Runs `body` with a tier, not initialized yet, whose reads of segments hang. */
async function withScanHeld(
  root: string,
  body: (parts: { tier: LogTier; clock: ManualClock; disk: FaultyDisk }) => Promise<void>,
): Promise<void> {
  const clock = new ManualClock();
  const disk = new FaultyDisk();
  disk.set("read", { hang: true });
  const primaryKvView = PrimaryKvView.allocate(64, BLOCK_BYTES);
  const tier = makeLogTier(root, { config, context: { clock, primaryKvView }, disk });
  try {
    await body({ tier, clock, disk });
  } finally {
    disk.close();
    await tier.shutdown();
  }
}

/** Files that are open can be written to for as long as the owner is sure of its folder. */
async function noticesTheLoss(rig: TierRig, clock: ManualClock): Promise<void> {
  clock.advance(9);
  expect((await rig.store([40])).success).toBe(false);
}

/** Stores block `n` over and over while time passes, until it is stored. */
async function storesAgain(rig: TierRig, clock: ManualClock, n: number): Promise<void> {
  while (!(await rig.store([n])).success) {
    clock.advance(2);
    await rig.step();
  }
}

describe("log, whose folder is another's or away", () => {
  it("stops at once when another has taken over, and goes on when the folder is free again", () =>
    withTempFolder(async (root) => {
      const clock = new ManualClock();
      const { logger, lines } = recordingLogger();
      await withLog(root, { config, context: { clock, logger } }, async (rig) => {
        await rig.store([0, 1]);
        const other = await takeOver(root);
        // It was frozen meanwhile, and has not looked yet.
        clock.advance(9);
        expect((await rig.store([5])).success).toBe(false);
        expect((await rig.load([0], [9])).success).toBe(false);
        expect(rig.tier.lookup(keyOf(0), { reqId: "a" })).toBe(LookupResult.Miss);
        expect(lines.filter(({ level }) => level === "error")).toHaveLength(1);
        await other.remove();
        while ((await rig.verdict(0, "b")) !== LookupResult.Hit) {
          clock.advance(2);
          await rig.step();
        }
        expect(await heldIn(rig, 6)).toEqual([0, 1]);
        expect((await rig.store([5])).success).toBe(true);
      });
    }));

  it("makes its folder anew when that was removed", () =>
    withTempFolder(async (root) => {
      const clock = new ManualClock();
      await withLog(root, { config, context: { clock } }, async (rig) => {
        await rig.store([0, 1]);
        await rm(segmentFolder(root), { recursive: true });
        await noticesTheLoss(rig, clock);
        await storesAgain(rig, clock, 2);
        expect(await heldIn(rig, 3)).toEqual([2]);
      });
    }));

  it("makes no root anew, as a disk that is unmounted may take that with it, and goes on when it is back", () =>
    withTempFolder(async (folder) => {
      const clock = new ManualClock();
      const root = join(folder, "kv");
      await withLog(root, { config, context: { clock } }, async (rig) => {
        await rig.store([0, 1]);
        await rename(root, join(folder, "away"));
        await noticesTheLoss(rig, clock);
        for (let i = 0; i < 10; i++) {
          clock.advance(2);
          expect((await rig.store([2])).success).toBe(false);
        }
        expect(await readdir(folder)).toEqual(["away"]);
        // It could not give the folder up while that was away, and waits as for any owner that fell silent.
        const away = segmentFolder(join(folder, "away"));
        for (const name of await readdir(away)) if (name.startsWith("owner-")) await utimes(join(away, name), 0, 0);
        await rename(join(folder, "away"), root);
        await storesAgain(rig, clock, 2);
        expect(await heldIn(rig, 3)).toEqual([0, 1, 2]);
      });
    }));

  it("stays where it is when the process changes its working folder", () =>
    withTempFolder(async (folder) => {
      const clock = new ManualClock();
      const before = process.cwd();
      try {
        for (const name of ["a", "b"]) await mkdir(join(folder, name));
        process.chdir(join(folder, "a"));
        await withLog("kv", { config, context: { clock } }, async (rig) => {
          process.chdir(join(folder, "b"));
          await rm(segmentFolder(join(folder, "a", "kv")), { recursive: true });
          await noticesTheLoss(rig, clock);
          await storesAgain(rig, clock, 2);
        });
        expect(await readdir(join(folder, "b"))).toEqual([]);
        expect(await segmentNames(join(folder, "a", "kv"))).toHaveLength(1);
      } finally {
        process.chdir(before);
      }
    }));

  it("is nobody when the folder was taken over while it was opened", () =>
    withTempFolder(async (root) => {
      await withLog(root, { config }, async (rig) => void (await rig.store([0, 1, 2, 3, 4])));
      await withScanHeld(root, async ({ tier, clock, disk }) => {
        const started = expect(tier.initialize()).rejects.toMatchObject({
          code: "TIER_INIT_FAILED",
          message: expect.stringContaining("taken it over"),
        });
        await disk.untilHung(1);
        const other = await takeOver(root);
        clock.advance(9);
        disk.release();
        await started;
        expect(await other.isOwner()).toBe(true);
        expect(tier.lookup(keyOf(0), { reqId: "a" })).toBe(LookupResult.Miss);
        await other.remove();
      });
      await withLog(root, { config }, async (rig) => expect(await heldIn(rig, 5)).toEqual([0, 1, 2, 3, 4]));
    }));

  it("gets the folder back also when it lost it again while it was opened", () =>
    withTempFolder(async (root) => {
      await withLog(root, { config }, async (rig) => void (await rig.store([0, 1, 2, 3, 4])));
      await withScanHeld(root, async ({ tier, clock, disk }) => {
        disk.clear();
        await tier.initialize();
        const first = await takeOver(root);
        clock.advance(9);
        disk.set("read", { hang: true });
        await first.remove();
        while (disk.hung === 0) {
          clock.advance(2);
          await nextTurn();
        }
        const second = await takeOver(root);
        clock.advance(9);
        disk.release();
        await second.remove();
        while (tier.lookup(keyOf(0), { reqId: "a" }) !== LookupResult.Hit) {
          clock.advance(2);
          await nextTurn();
        }
      });
    }));
});
