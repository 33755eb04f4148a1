import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { makeOffloadKey, type OffloadKey } from "../../src/contracts/offload-key.js";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import { keyOf } from "../../src/testing/conformance/tier-rig.js";
import { PrimaryKvView } from "../../src/primary/primary-kv-view.js";
import { FaultyDisk } from "../../src/testing/faulty-disk.js";
import { ManualClock } from "../../src/testing/manual-clock.js";
import { dataOffset } from "../../src/tiers/log/worker/segment-format.js";
import { withoutStrayRejections } from "../support/disk-rig.js";
import {
  BLOCK_BYTES,
  heldIn,
  segmentFolder,
  segmentNames,
  segmentsOf,
  withLog,
  withLogOnDisk,
} from "../support/log-rig.js";
import { makeLogTier } from "../support/make-log-tier.js";
import { recordingLogger } from "../support/recording-logger.js";
import { withTempFolder } from "../support/temp-folder.js";

const SLOTS = 4;
const config = segmentsOf(SLOTS, 3);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** Flips one bit of the block in `slot` of the oldest segment. */
async function flip(root: string, slot: number): Promise<void> {
  const [name = ""] = await segmentNames(root);
  const file = await open(join(segmentFolder(root), name), "r+");
  const position = dataOffset(SLOTS) + slot * BLOCK_BYTES + 77;
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, position);
  await file.write(Buffer.of((byte[0] ?? 0) ^ 4), 0, 1, position);
  await file.close();
}

describe("log, on a disk that fails", () => {
  it("finds bit rot, forgets the block for good, and says so once", () =>
    withTempFolder(async (root) => {
      const { logger, lines } = recordingLogger();
      await withLog(root, { config, context: { logger } }, async (rig) => {
        await rig.store([0, 1, 2]);
        await flip(root, 1);
        const { success, successfulKeys } = await rig.load([0, 1, 2], [9, 10, 11]);
        expect([success, successfulKeys]).toEqual([false, [keyOf(0), keyOf(2)]]);
        expect(await rig.verdict(1, "a")).toBe(LookupResult.Miss);
        expect(rig.tier.getStats()).toMatchObject({ checksumFailures: 1, blocksHeld: 2 });
        expect(lines.filter(({ message }) => message === "A stored block was damaged")).toHaveLength(1);
      });
      await withLog(root, { config }, async (rig) => expect(await heldIn(rig, 3)).toEqual([0, 2]));
    }));

  it("warns once of many damaged blocks, and counts them all", () =>
    withTempFolder(async (root) => {
      const { logger, lines } = recordingLogger();
      await withLog(root, { config, context: { logger } }, async (rig) => {
        await rig.store([0, 1, 2]);
        for (const slot of [0, 1, 2]) await flip(root, slot);
        for (const n of [0, 1, 2]) await rig.load([n], [9]);
        expect(rig.tier.getStats()).toMatchObject({ checksumFailures: 3 });
        const told = lines.filter(({ message }) => message === "A stored block was damaged");
        expect(told.map(({ level }) => level)).toEqual(["warn", "debug", "debug"]);
      });
    }));

  it("does not look for bit rot when checksums are off, nor in blocks that have none", () =>
    withTempFolder(async (root) => {
      const unchecked = { config: { ...config, checksum: false } };
      await withLog(root, { config }, async (rig) => void (await rig.store([0, 1])));
      await flip(root, 0);
      await withLog(root, unchecked, async (rig) => {
        expect((await rig.load([0, 1], [9, 10])).success).toBe(true);
        await rig.store([2, 3]);
      });
      await flip(root, 3);
      await withLog(root, { config }, async (rig) => {
        expect((await rig.load([3], [9])).success).toBe(true);
        expect((await rig.load([0], [9])).success).toBe(false);
      });
    }));

  it("does not find a block whose store failed, then or later", () =>
    withLogOnDisk({ config }, async ({ root, disk, rig }) => {
      disk.set("write", { error: "EIO", afterHalf: true });
      expect((await rig.store([0, 1, 2])).success).toBe(false);
      expect(await heldIn(rig, 3)).toEqual([]);
      disk.clear();
      expect((await rig.store([2, 3])).success).toBe(true);
      expect(await heldIn(rig, 5)).toEqual([2, 3]);
      await rig.tier.shutdown();
      await withLog(root, { config }, async (next) => expect(await heldIn(next, 5)).toEqual([2, 3]));
    }));

  it("keeps the oldest segment as it is while a read of it hangs, and recycles the next one", async () => {
    const clock = new ManualClock();
    await withLogOnDisk({ config: { ...config, deadlineS: 30 }, context: { clock } }, async ({ disk, rig }) => {
      await rig.store(upTo(12));
      disk.set("read", { hang: true });
      const load = rig.submitLoad([0], [20]);
      await disk.untilHung(1);
      clock.advance(31);
      const [result] = rig.tier.getFinishedJobs();
      expect(result).toMatchObject({ jobId: load.jobId, success: false });
      // Who asks meanwhile is not sent after it.
      expect(rig.tier.lookup(keyOf(0), { reqId: "b" })).toBe(LookupResult.Miss);
      for (const n of [12, 13, 14, 15]) expect((await rig.store([n])).success).toBe(true);
      expect(rig.tier.lookup(keyOf(4), { reqId: "b" })).toBe(LookupResult.Miss);
      expect(rig.tier.lookup(keyOf(8), { reqId: "b" })).toBe(LookupResult.Hit);
      expect(await Promise.race([result?.blocksReleased, Promise.resolve("pinned")])).toBe("pinned");
      disk.release();
      await result?.blocksReleased;
      expect(await heldIn(rig, 16)).toEqual(expect.arrayContaining([8, 9, 10, 11, 12, 13, 14, 15]));
    });
  });

  it("finds a block again, and tells nobody that it is gone, when a load of it that was late has ended", async () => {
    const clock = new ManualClock();
    const options = { config: { ...config, deadlineS: 30 }, context: { clock, enableKvEvents: true } };
    await withLogOnDisk(options, async ({ disk, rig }) => {
      await rig.store(upTo(3));
      rig.tier.takeEvents();
      disk.set("read", { hang: true });
      // Each of its own, so that the first that ends gives no block back that another still holds.
      const loads = [rig.submitLoad([0, 1], [20, 21]), rig.submitLoad([1], [22])];
      await disk.untilHung(2);
      clock.advance(31);
      const results = rig.tier.getFinishedJobs();
      expect(results).toHaveLength(loads.length);
      expect(upTo(3).map((n) => rig.tier.lookup(keyOf(n), { reqId: "b" }))).toEqual([
        LookupResult.Miss,
        LookupResult.Miss,
        LookupResult.Hit,
      ]);
      disk.release();
      for (const { blocksReleased } of results) await blocksReleased;
      expect(await heldIn(rig, 3)).toEqual([0, 1, 2]);
      expect(rig.tier.takeEvents()).toEqual([]);
    });
  });

  it.each(["stored again", "removed"])("holds a block only as it was %s while a load of it was late", async (how) => {
    const clock = new ManualClock();
    await withLogOnDisk({ config: { ...config, deadlineS: 30 }, context: { clock } }, async ({ root, disk, rig }) => {
      await rig.store([0, 1]);
      disk.set("read", { hang: true });
      rig.submitLoad([0], [20]);
      await disk.untilHung(1);
      clock.advance(31);
      const [result] = rig.tier.getFinishedJobs();
      const isStored = how === "stored again";
      if (isStored) {
        expect((await rig.store([0])).transferBytes).toBe(BLOCK_BYTES);
        expect(rig.tier.lookup(keyOf(0), { reqId: "b" })).toBe(LookupResult.Hit);
      } else await rig.tier.remove?.([keyOf(0)]);
      disk.release();
      await result?.blocksReleased;
      const held = isStored ? [0, 1] : [1];
      expect(await heldIn(rig, 2)).toEqual(held);
      expect(rig.tier.getStats()).toMatchObject({ blocksHeld: held.length });
      await rig.tier.shutdown();
      await withLog(root, { config }, async (next) => expect(await heldIn(next, 2)).toEqual(held));
    });
  });

  it("gives up to start on a mount that hangs, at its deadline", () =>
    withTempFolder(async (root) => {
      const clock = new ManualClock();
      const disk = new FaultyDisk();
      disk.set("stat", { hang: true });
      const tier = makeLogTier(root, { config: { ...config, deadlineS: 30 }, context: { clock }, disk });
      try {
        const started = expect(tier.initialize()).rejects.toMatchObject({
          code: "TIER_INIT_FAILED",
          message: expect.stringContaining("30 s"),
        });
        await disk.untilHung(1);
        clock.advance(31);
        await started;
      } finally {
        disk.close();
        await tier.shutdown();
      }
    }));

  it("takes no more room than it may, with everything that is in its folder", () =>
    withTempFolder(async (root) => {
      await withLog(root, { config }, async (rig) => {
        for (let n = 0; n < 60; n++) {
          await rig.store([n]);
          const sizes = await Promise.all(
            (await segmentNames(root)).map(async (name) => (await stat(join(segmentFolder(root), name))).size),
          );
          expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(config.maxBytes);
        }
        expect(await heldIn(rig, 60)).toEqual(upTo(60).slice(48));
      });
    }));

  it("stores a batch that spans segments from a pool in plain memory, also when it fails half-way", () =>
    withTempFolder(async (root) => {
      const disk = new FaultyDisk();
      const plain = PrimaryKvView.wrap(new Uint8Array(64 * BLOCK_BYTES), BLOCK_BYTES);
      await withoutStrayRejections(() =>
        withLog(root, { config: segmentsOf(1, 8), context: { primaryKvView: plain }, disk }, async (rig) => {
          for (const n of upTo(24)) plain.block(n).set(rig.bytesOf(n));
          // Segments that are ready: the batch goes from one to the next without a pause.
          await rig.store(upTo(8), upTo(8));
          await rig.tier.clear?.();
          expect((await rig.store([16, 17, 18, 19, 20, 21], [16, 17, 18, 19, 20, 21])).success).toBe(true);
          expect((await rig.load([16, 21], [40, 41])).success).toBe(true);
          expect([plain.block(40), plain.block(41)]).toEqual([rig.bytesOf(16), rig.bytesOf(21)]);
          disk.set("stat", { error: "EIO" });
          expect((await rig.store([0, 1, 2, 3], [0, 1, 2, 3])).success).toBe(false);
          disk.clear();
          expect((await rig.store([4], [4])).success).toBe(true);
          disk.close();
        }),
      );
    }));

  it("tells of no block that had to make room for its own batch", () =>
    withTempFolder(async (root) => {
      await withLog(root, { config: segmentsOf(1, 3), context: { enableKvEvents: true } }, async (rig) => {
        expect((await rig.store(upTo(6))).success).toBe(false);
        expect(rig.tier.takeEvents().filter(({ removed }) => !removed)).toEqual([]);
        expect((await rig.store([6])).success).toBe(true);
        const held = await heldIn(rig, 7);
        expect(held).toHaveLength(3);
        expect(held).toContain(6);
      });
    }));

  it("tells of blocks that made room, by event", () =>
    withTempFolder(async (root) => {
      await withLog(root, { config, context: { enableKvEvents: true } }, async (rig) => {
        await rig.store(upTo(12));
        rig.tier.takeEvents();
        await rig.store([12]);
        const removed = rig.tier.takeEvents().filter((event) => event.removed);
        expect(removed).toEqual([expect.objectContaining({ keys: [0, 1, 2, 3].map(keyOf), medium: "STORAGE" })]);
      });
    }));

  it("tells of them too when their keys are longer than an entry has room for", () =>
    withTempFolder(async (root) => {
      const keys = upTo(14).map((n) => makeOffloadKey(new Uint8Array(64).fill(n)));
      await withLog(root, { config, context: { enableKvEvents: true } }, async (rig) => {
        const announced = new Set<OffloadKey>();
        for (const [jobId, key] of keys.entries()) {
          const reqContext = { reqId: "a" };
          const job = { jobId, keys: [key], blockIds: Int32Array.of(0), isPromotion: false, reqContext, submitTime: 0 };
          rig.tier.submitStore(job);
          await rig.tier.drainJobs();
          for (const { keys: told, removed } of rig.tier.takeEvents())
            for (const one of told)
              if (removed) announced.delete(one);
              else announced.add(one);
        }
        rig.tier.getFinishedJobs();
        expect([...announced]).toEqual(keys.slice(4));
        expect(keys.filter((key) => rig.tier.lookup(key, { reqId: "b" }) === LookupResult.Hit)).toEqual(keys.slice(4));
      });
    }));
});
