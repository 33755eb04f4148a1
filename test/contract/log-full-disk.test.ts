import { describe, expect, it } from "@jest/globals";
import { FaultyDisk } from "../../src/testing/faulty-disk.js";
import { heldIn, segmentNames, segmentsOf, withLogOnDisk } from "../support/log-rig.js";
import { makeLogTier } from "../support/make-log-tier.js";
import { withTempFolder } from "../support/temp-folder.js";

// No bound of its own: the disk is what bounds it.
const { segmentBytes } = segmentsOf(4, 2);
const config = { segmentBytes };
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe("log without max_bytes, on a disk that is full", () => {
  it("loses a store to it, and from then on the oldest blocks, until each segment was used again", () =>
    withLogOnDisk({ config }, async ({ root, disk, rig }) => {
      await rig.store(upTo(8));
      // The header of another segment is written, as it takes a page, and the block is not.
      disk.set("write", { error: "ENOSPC", every: 2 });
      expect((await rig.store([8])).success).toBe(false);
      disk.clear();
      for (const n of upTo(17).slice(9)) {
        expect((await rig.store([n])).success).toBe(true);
        expect(await segmentNames(root)).toHaveLength(2);
      }
      expect(await heldIn(rig, 17)).toEqual(upTo(17).slice(9));
      // There may be room again.
      expect((await rig.store([17])).success).toBe(true);
      expect(await segmentNames(root)).toHaveLength(3);
      expect(await heldIn(rig, 18)).toEqual(upTo(18).slice(9));
    }));

  it("uses the segments that it has again when the disk refuses another one", () =>
    withLogOnDisk({ config }, async ({ root, disk, rig }) => {
      await rig.store(upTo(8));
      disk.set("write", { error: "ENOSPC", every: 2 });
      for (let n = 8; n < 40; n++) await rig.store([n]);
      expect((await segmentNames(root)).length).toBeLessThan(8);
      disk.clear();
      for (const n of [40, 41, 42, 43]) expect((await rig.store([n])).success).toBe(true);
      expect(await heldIn(rig, 44)).toEqual(expect.arrayContaining([40, 41, 42, 43]));
    }));

  it("fails every store when no segment can be written, and stores when there is room", () =>
    withLogOnDisk({ config }, async ({ root, disk, rig }) => {
      disk.set("write", { error: "ENOSPC" });
      for (const n of upTo(4)) expect((await rig.store([n])).success).toBe(false);
      expect([await heldIn(rig, 4), await segmentNames(root)]).toEqual([[], []]);
      disk.clear();
      expect((await rig.store([4])).success).toBe(true);
      expect(await heldIn(rig, 5)).toEqual([4]);
    }));

  it("does not start when there is no room even for its folder", () =>
    withTempFolder(async (root) => {
      const disk = new FaultyDisk();
      disk.set("write", { error: "ENOSPC" });
      const tier = makeLogTier(root, { config, disk });
      await expect(tier.initialize()).rejects.toMatchObject({
        code: "TIER_INIT_FAILED",
        message: expect.stringContaining("The disk is full"),
      });
      await tier.shutdown();
    }));
});
