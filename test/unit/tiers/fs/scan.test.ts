import * as fs from "node:fs";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { Scan, type ScanParts } from "../../../../src/tiers/fs/worker/scan.js";
import { leaveFile } from "../../../support/fs-blocks.js";
import { filesBelow, withTempFolder } from "../../../support/temp-folder.js";

const FOLDER = "m_0123456789ab_r0";
const TEMP = "12-00112233aabb-3-4.tmp";

function scan(root: string, parts: Partial<ScanParts> = {}): Scan {
  const made = new Scan({
    io: fs,
    root,
    isOwnTemp: (name) => name.startsWith("1-"),
    isLeftOver: (name) => name.startsWith("1-00112233aabb-9-"),
    tempsBefore: Date.now() / 1000 - 3600,
    idOf: (folder, subFolder, name) => (name.endsWith(".bin") ? `${folder}/${subFolder}/${name}` : null),
    ...parts,
  });
  while (!made.step());
  return made;
}

describe("Scan", () => {
  it("finds the blocks of every namespace and rank, with sizes and times", () =>
    withTempFolder(async (root) => {
      await leaveFile(join(root, FOLDER, "ab", "ab01_g0.bin"), 10, 500);
      await leaveFile(join(root, "m_0123456789ab_r1", "cd", "cd01_g0.bin"), 20, 100);
      const { ids, sizes, mtimes, fault } = scan(root);
      expect(new Map(ids.map((id, i) => [id, sizes[i]]))).toEqual(
        new Map([
          [`${FOLDER}/ab/ab01_g0.bin`, 10],
          ["m_0123456789ab_r1/cd/cd01_g0.bin", 20],
        ]),
      );
      expect([...mtimes].sort((a, b) => a - b).map((at) => Math.round((Date.now() - at) / 1000))).toEqual([500, 100]);
      expect(fault).toBeNull();
    }));

  it("goes on in steps, and comes to the same", () =>
    withTempFolder(async (root) => {
      const names = Array.from({ length: 1500 }, (_, i) => `ab${i.toString(16).padStart(4, "0")}_g0.bin`);
      for (const name of names) await leaveFile(join(root, FOLDER, "ab", name), 1, 10);
      const isOwnTemp = (): boolean => false;
      const isLeftOver = isOwnTemp;
      const made = new Scan({ io: fs, root, isOwnTemp, isLeftOver, tempsBefore: 0, idOf: (_f, _s, name) => name });
      let steps = 1;
      while (!made.step()) steps++;
      expect(steps).toBe(3);
      expect([...made.ids].sort()).toEqual(names);
    }));

  it("removes temporary files that are old, wherever writers make them, and counts the others", () =>
    withTempFolder(async (root) => {
      const old = [
        `${FOLDER}/ab/${TEMP}`,
        `${FOLDER}/${TEMP}`,
        "m_0123456789ab/config.json.0011aabb.tmp",
        "evict.lock.00112233aabb.tmp",
      ];
      const young = [`${FOLDER}/ab/13-00112233aabb-3-4.tmp`];
      const own = `${FOLDER}/ab/1-00112233aabb-3-4.tmp`;
      const foreign = [`${FOLDER}/ab/notes.tmp`, "x.tmp", `elsewhere/${TEMP}`, `${FOLDER}/sub/${TEMP}`, TEMP];
      for (const path of [...old, ...foreign, own]) await leaveFile(join(root, path), 7, 3700);
      for (const path of young) await leaveFile(join(root, path), 9, 3500);
      const { tempsRemoved, tempBytes } = scan(root);
      expect({ tempsRemoved, tempBytes }).toEqual({ tempsRemoved: 4, tempBytes: 9 });
      expect(await filesBelow(root)).toEqual([...foreign, ...young, own].sort());
    }));

  it("removes what threads of the tier left that are gone, whatever its age, and counts it when it cannot", () =>
    withTempFolder(async (root) => {
      const left = join(root, FOLDER, "ab", "1-00112233aabb-9-4.tmp");
      await leaveFile(left, 7, 0);
      const unlinkSync = (): never => {
        throw Object.assign(new Error("EIO"), { code: "EIO" });
      };
      expect(scan(root, { io: { ...fs, unlinkSync } })).toMatchObject({ tempsRemoved: 0, tempBytes: 7 });
      expect(scan(root)).toMatchObject({ tempsRemoved: 1, tempBytes: 0 });
      expect(await filesBelow(root)).toEqual([]);
    }));

  it("follows no link and counts nothing but regular files", () =>
    withTempFolder(async (root) => {
      const outside = join(root, "outside");
      await leaveFile(join(outside, "ab", "ab01_g0.bin"), 10, 0);
      await leaveFile(join(root, FOLDER, "ab", "ab02_g0.bin", "file"), 10, 0);
      symlinkSync(outside, join(root, "n_0123456789ab_r0"));
      symlinkSync(join(outside, "ab"), join(root, FOLDER, "cd"));
      symlinkSync(join(outside, "ab", "ab01_g0.bin"), join(root, FOLDER, "ab", "ab01_g0.bin"));
      expect(scan(root).ids).toEqual([]);
    }));

  it("tells of a folder that cannot be read, counts the rest, and minds nothing that went meanwhile", () =>
    withTempFolder(async (root) => {
      for (const sub of ["ab", "cd", "ef"]) await leaveFile(join(root, FOLDER, sub, `${sub}01_g0.bin`), 10, 0);
      const { ids, fault } = scan(root, {
        io: {
          ...fs,
          readdirSync: ((path: string, options: object) => {
            const code = path.endsWith("ab") ? "EIO" : path.endsWith("cd") ? "ENOENT" : null;
            if (code !== null) throw Object.assign(new Error(code), { code });
            return fs.readdirSync(path, options);
          }) as never,
        },
      });
      expect(ids).toEqual([`${FOLDER}/ef/ef01_g0.bin`]);
      expect(fault).toMatchObject({ code: "EIO" });
    }));

  it("fails when the root is not there", () =>
    withTempFolder(async (root) => {
      expect(() => scan(join(root, "gone"))).toThrow("ENOENT");
    }));
});
