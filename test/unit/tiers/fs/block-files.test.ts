import * as fs from "node:fs";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { BlockFiles, type BlockIo } from "../../../../src/tiers/fs/worker/block-files.js";
import { filesBelow, withTempFolder } from "../../../support/temp-folder.js";

const BYTES = 100;
const FILE = "ab/abcd_g0.bin";
const block = Uint8Array.from({ length: BYTES }, (_, i) => i);
const empty = (): Uint8Array => new Uint8Array(BYTES);

const blockFiles = (folder: string, io: Partial<BlockIo> = {}): BlockFiles =>
  new BlockFiles({ io: { ...fs, ...io }, folder, blockBytes: BYTES, writerId: "1-a-1" });

const fault = (code: string): Error => Object.assign(new Error(code), { code });

describe("BlockFiles", () => {
  it("stores a block once, and loads it", () =>
    withTempFolder(async (folder) => {
      const files = blockFiles(folder);
      expect(files.has(FILE)).toBe(false);
      expect(files.store(FILE, block)).toBe(BYTES);
      expect(files.has(FILE)).toBe(true);
      expect(files.store(FILE, empty())).toBe(0);
      const into = empty();
      expect(files.load(FILE, into)).toBe(BYTES);
      expect(into).toEqual(block);
      expect(await filesBelow(folder)).toEqual([FILE]);
    }));

  it("goes on after short writes and reads", () =>
    withTempFolder(async (folder) => {
      const files = blockFiles(folder, {
        writevSync: ((fd: number, [first]: [Uint8Array]) => fs.writeSync(fd, first, 0, 7)) as never,
        writeSync: ((fd: number, bytes: Uint8Array, at: number, length: number) =>
          fs.writeSync(fd, bytes, at, Math.min(length, 7))) as typeof fs.writeSync,
        readvSync: ((fd: number, [first]: [Uint8Array]) => fs.readSync(fd, first, 0, 9, 0)) as never,
        readSync: ((fd: number, bytes: Uint8Array, at: number, length: number, position: number) =>
          fs.readSync(fd, bytes, at, Math.min(length, 9), position)) as typeof fs.readSync,
      });
      files.store(FILE, block);
      const into = empty();
      files.load(FILE, into);
      expect(into).toEqual(block);
    }));

  it.each([0, 1, BYTES - 1, BYTES + 1])(
    "takes a file of %i bytes for absent, and removes it when it is loaded",
    (size) =>
      withTempFolder(async (folder) => {
        const files = blockFiles(folder);
        files.store(FILE, block);
        truncateSync(join(folder, FILE), size);
        expect(files.has(FILE)).toBe(false);
        expect(() => files.load(FILE, empty())).toThrow("removed");
        expect(await filesBelow(folder)).toEqual([]);
      }),
  );

  it("replaces a torn file when the block is stored again", () =>
    withTempFolder(async (folder) => {
      const files = blockFiles(folder);
      files.store(FILE, block);
      truncateSync(join(folder, FILE), 5);
      expect(files.store(FILE, block)).toBe(BYTES);
      expect(new Uint8Array(readFileSync(join(folder, FILE)))).toEqual(block);
    }));

  it("does not remove a whole block that took the torn one's place", () =>
    withTempFolder(async (folder) => {
      const other = blockFiles(folder);
      other.store(FILE, block);
      truncateSync(join(folder, FILE), 5);
      const files = blockFiles(folder, {
        fstatSync: ((fd: number) => {
          const found = fs.fstatSync(fd);
          other.store(FILE, block);
          return found;
        }) as typeof fs.fstatSync,
      });
      expect(() => files.load(FILE, empty())).toThrow();
      expect(other.has(FILE)).toBe(true);
    }));

  it.each<[string, Partial<BlockIo>]>([
    [
      "write",
      {
        writevSync: () => {
          throw fault("ENOSPC");
        },
      },
    ],
    ["write that stops", { writevSync: () => 9, writeSync: () => 0 }],
    [
      "close",
      {
        closeSync: (fd) => {
          fs.closeSync(fd);
          throw fault("EIO");
        },
      },
    ],
    [
      "rename",
      {
        renameSync: () => {
          throw fault("EACCES");
        },
      },
    ],
  ])("leaves no file behind after a failed %s, and no descriptor open", (_, io) =>
    withTempFolder(async (folder) => {
      const openBefore = readdirSync("/proc/self/fd").length;
      const files = blockFiles(folder, io);
      for (let i = 0; i < 5; i++) expect(() => files.store(FILE, block)).toThrow();
      expect(await filesBelow(folder)).toEqual([]);
      expect(readdirSync("/proc/self/fd")).toHaveLength(openBefore);
    }),
  );

  it("makes the sub-folder again when somebody removed it", () =>
    withTempFolder(async (folder) => {
      const files = blockFiles(folder);
      files.store(FILE, block);
      rmSync(join(folder, "ab"), { recursive: true });
      expect(files.has(FILE)).toBe(false);
      expect(() => files.load(FILE, empty())).toThrow("ENOENT");
      expect(files.store(FILE, block)).toBe(BYTES);
      expect(files.has(FILE)).toBe(true);
    }));

  it("follows no link and opens no pipe or folder in a block's place", () =>
    withTempFolder(async (folder) => {
      const files = blockFiles(folder);
      files.store(FILE, block);
      writeFileSync(join(folder, "outside"), block);
      symlinkSync(join(folder, "outside"), join(folder, "ab", "link_g0.bin"));
      execFileSync("mkfifo", [join(folder, "ab", "pipe_g0.bin")]);
      mkdirSync(join(folder, "ab", "folder_g0.bin"));
      for (const name of ["link", "pipe", "folder"]) {
        expect(files.has(`ab/${name}_g0.bin`)).toBe(false);
        expect(() => files.load(`ab/${name}_g0.bin`, empty())).toThrow();
      }
      expect(new Uint8Array(readFileSync(join(folder, "outside")))).toEqual(block);
    }));
});
