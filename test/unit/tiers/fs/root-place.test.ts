import * as fs from "node:fs";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { RootPlace } from "../../../../src/tiers/disk/worker/root-place.js";
import { SpaceRig } from "../../../support/space-rig.js";
import { withTempFolder } from "../../../support/temp-folder.js";

/** `node:fs` on which another device is mounted at will. */
function mounts(): { io: Partial<typeof fs>; set: (device: number) => void } {
  let device = 0;
  const statSync = (path: string): fs.Stats => {
    const found = fs.statSync(path);
    return Object.assign(found, { dev: found.dev + device });
  };
  return { io: { statSync: statSync as typeof fs.statSync }, set: (other) => void (device = other) };
}

describe("RootPlace", () => {
  it("knows a root that is there from an empty folder on another device", () =>
    withTempFolder(async (root) => {
      const { io, set } = mounts();
      const place = new RootPlace(io as typeof fs, () => root, "blocks");
      place.assertThere();
      set(1);
      expect(() => place.assertThere()).toThrow("ENOENT");
      mkdirSync(join(root, "blocks"));
      place.assertThere();
      rmSync(join(root, "blocks"), { recursive: true });
      place.assertThere();
      rmSync(root, { recursive: true });
      expect(() => place.assertThere()).toThrow("ENOENT");
      mkdirSync(root);
    }));

  it("keeps what is on a disk in the books while the disk is away", () =>
    withTempFolder(async (root) => {
      const { io, set } = mounts();
      const options = { maxBytes: 300, lowWater: 1, fileBytes: 100, io };
      const rig = await SpaceRig.open(root, options);
      await rig.store([1, 2, 3]);
      const aside = `${rig.folder}.aside`;
      fs.renameSync(rig.folder, aside);
      set(1);
      expect(await rig.store([4])).toBe(0);
      rig.clock.advance(61);
      for (let i = 0; i < 30; i++) await new Promise((resolve) => setImmediate(resolve));
      expect(rig.ledger.used).toBe(300);

      fs.renameSync(aside, rig.folder);
      set(0);
      expect(await rig.store([4])).toBe(1);
      expect([1, 2, 3, 4].filter((n) => rig.has(n))).toEqual([2, 3, 4]);
      await rig.space.close();
    }));
});
