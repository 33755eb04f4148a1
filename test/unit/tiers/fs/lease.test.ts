import * as fs from "node:fs";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { Lease } from "../../../../src/tiers/fs/worker/lease.js";
import { filesBelow, withTempFolder } from "../../../support/temp-folder.js";

/** Of a process that is not there. */
const DEAD_PID = 2 ** 22 + 1;

/** Leases on one file, and the file system's clock, which stands still. */
function leasesIn(folder: string): {
  path: string;
  lease: (nonce: string, holder?: { host?: string; pid?: number }, io?: Partial<typeof fs>) => Lease;
  age: (seconds: number) => void;
} {
  const path = join(folder, "evict.lock");
  const clock = { now: () => fs.statSync(path).mtimeMs / 1000 + ageS };
  let ageS = 0;
  return {
    path,
    lease: (nonce, { host = "here", pid = process.pid } = {}, io = {}) =>
      new Lease({
        io: { ...fs, ...io },
        path,
        nextPath: join(folder, "evict.next.lock"),
        self: { host, pid, nonce },
        clock,
      }),
    age: (seconds) => void (ageS = seconds),
  };
}

describe("Lease", () => {
  it("is had by one, which keeps it, and by the next when that gives it back", () =>
    withTempFolder(async (folder) => {
      const { lease, path } = leasesIn(folder);
      const [a, b] = [lease("a"), lease("b")];
      expect([a.renew(), b.renew(), a.renew(), b.renew()]).toEqual([true, false, true, false]);
      expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ host: "here", pid: process.pid, nonce: "a" });
      b.release();
      expect(b.renew()).toBe(false);
      a.release();
      expect([b.renew(), a.renew()]).toEqual([true, false]);
    }));

  it("is taken over at once from one that is known to be gone, though its process is not", () =>
    withTempFolder(async (folder) => {
      const { lease } = leasesIn(folder);
      const [a, b] = [lease("a"), lease("b")];
      a.renew();
      expect(b.renew(["c"])).toBe(false);
      expect(b.renew(["c", "a"])).toBe(true);
      a.release();
      expect([a.renew(), b.renew()]).toEqual([false, true]);
    }));

  it.each([11, -11])("is taken over without a heartbeat for more than ten seconds (%i)", (seconds) =>
    withTempFolder(async (folder) => {
      const { lease, age } = leasesIn(folder);
      const [a, b] = [lease("a"), lease("b")];
      a.renew();
      age(9);
      expect(b.renew()).toBe(false);
      age(seconds);
      expect(b.renew()).toBe(true);
      age(0);
      expect(a.renew()).toBe(false);
      expect(await filesBelow(folder)).toEqual(["evict.lock"]);
    }),
  );

  it("gives a sign of life by the clock of the file system", () =>
    withTempFolder(async (folder) => {
      const { lease, path } = leasesIn(folder);
      const a = lease("a");
      a.renew();
      utimesSync(path, 1000, 1000);
      expect(a.renew()).toBe(true);
      expect(fs.statSync(path).mtimeMs).toBeGreaterThan(1_000_000);
    }));

  it("is taken over at once from a process of this machine that is gone, and from no other", () =>
    withTempFolder(async (folder) => {
      const { lease } = leasesIn(folder);
      lease("a", { host: "elsewhere", pid: DEAD_PID }).renew();
      const b = lease("b", { host: hostname() });
      expect(b.renew()).toBe(false);
      expect(lease("c", { host: "elsewhere" }).renew()).toBe(true);
    }));

  it("is had by one of two that take it over at once", () =>
    withTempFolder(async (folder) => {
      const { lease, age, path } = leasesIn(folder);
      lease("a").renew();
      age(11);
      const fast = lease("fast");
      // Faster by all of its takeover, just before this one moves what it found out of the way.
      const slow = lease(
        "slow",
        {},
        {
          renameSync: (from: fs.PathLike, to: fs.PathLike) => {
            if (from === path && !fs.readFileSync(path, "utf8").includes("fast")) expect(fast.renew()).toBe(true);
            fs.renameSync(from, to);
          },
        },
      );
      expect(slow.renew()).toBe(false);
      age(0);
      expect(fast.renew()).toBe(true);
      expect(await filesBelow(folder)).toEqual(["evict.lock"]);
    }));

  it.each(["", "{", "null", "[1]", '{"host":1}', "x".repeat(5000)])(
    "goes by its age alone when it says %j",
    (content) =>
      withTempFolder(async (folder) => {
        const { lease, age, path } = leasesIn(folder);
        writeFileSync(path, content);
        expect(lease("a").renew()).toBe(false);
        age(11);
        expect(lease("a").renew()).toBe(true);
      }),
  );

  it("goes from one to the next who asked for it, in turn, and to nobody who did not", () =>
    withTempFolder(async (folder) => {
      const { lease } = leasesIn(folder);
      const [a, b, c] = [lease("a"), lease("b"), lease("c")];
      expect([a.ask(), b.renew(), a.keep()]).toEqual([true, false, true]);
      expect([b.ask(), c.ask(), b.ask()]).toEqual([false, false, false]);
      expect([a.keep(), b.keep(), a.ask(), b.keep(), a.keep()]).toEqual([false, true, false, false, true]);
      a.release();
      expect(await filesBelow(folder)).toEqual([]);
    }));

  it("is asked for no more by one that has it, or has given up", () =>
    withTempFolder(async (folder) => {
      const { lease } = leasesIn(folder);
      const [a, b] = [lease("a"), lease("b")];
      expect([a.ask(), b.ask()]).toEqual([true, false]);
      b.release();
      expect([a.keep(), b.ask()]).toEqual([true, false]);
      a.release();
      expect([b.ask(), b.keep()]).toEqual([true, true]);
      expect(await filesBelow(folder)).toEqual(["evict.lock"]);
    }));

  it("is free for all when it was passed on to one of this machine that is gone", () =>
    withTempFolder(async (folder) => {
      const { lease } = leasesIn(folder);
      const [a, gone, c] = [lease("a"), lease("gone", { pid: DEAD_PID }), lease("c")];
      expect([a.ask(), gone.ask(), a.keep(), c.ask()]).toEqual([true, false, false, true]);
    }));

  it("throws when it cannot be read, and changes nothing", () =>
    withTempFolder(async (folder) => {
      const { lease, path } = leasesIn(folder);
      mkdirSync(path);
      expect(() => lease("a").renew()).toThrow("EISDIR");
      expect(fs.statSync(path).isDirectory()).toBe(true);
    }));
});
