import { existsSync, statSync, type PathLike } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { filesBelow, withTempFolder } from "../../../support/temp-folder.js";
import { leaveFile, setAge } from "../../../support/fs-blocks.js";
import { fileOf, SpaceRig } from "../../../support/space-rig.js";

const FILE_BYTES = 100;
const options = { maxBytes: 10 * FILE_BYTES, lowWater: 1, fileBytes: FILE_BYTES };
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
const settle = async (): Promise<void> => {
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
};
const mtimesOf = (rig: SpaceRig, ns: readonly number[]): number[] => ns.map((n) => statSync(rig.path(n)).mtimeMs);

describe("Space", () => {
  it("writes down every ten seconds, and at the end, what was used, in the order of use", () =>
    withTempFolder(async (root) => {
      const rig = await SpaceRig.open(root, options);
      await rig.store(range(0, 6));
      for (const n of range(0, 6)) setAge(rig.path(n), 1000 - n);
      const unused = mtimesOf(rig, [0, 4, 5]);
      await rig.load(3);
      rig.clock.advance(4);
      await rig.load(1);
      rig.clock.advance(6);
      await settle();
      const [one = 0, three = 0] = mtimesOf(rig, [1, 3]);
      expect(one - three).toBeGreaterThan(3_000);
      expect(Math.abs(Date.now() - 6_000 - one)).toBeLessThan(5_000);
      await rig.load(2);
      await rig.space.close();
      const [again = 0, two = 0] = mtimesOf(rig, [1, 2]);
      expect(again).toBe(one);
      expect(two).toBeGreaterThan(one);
      expect(mtimesOf(rig, [0, 4, 5])).toEqual(unused);
    }));

  it("evicts after a restart by what the files say", () =>
    withTempFolder(async (root) => {
      const first = await SpaceRig.open(root, options);
      await first.store(range(0, 10));
      for (const n of range(0, 10)) setAge(first.path(n), 1000 - n);
      await first.load(0);
      await first.space.close();
      const second = await SpaceRig.open(root, options);
      expect(await second.store([10, 11])).toBe(2);
      expect(range(0, 12).filter((n) => second.has(n))).toEqual([0, ...range(3, 12)]);
      await second.space.close();
    }));

  it("sees within a minute what another process stored, and trims it", () =>
    withTempFolder(async (root) => {
      const rig = await SpaceRig.open(root, options);
      await rig.store(range(0, 8));
      for (const n of range(0, 8)) setAge(rig.path(n), 1000 - n);
      for (const n of range(20, 30)) await leaveFile(rig.path(n), FILE_BYTES, 500 - n);
      expect(rig.ledger.used).toBe(8 * FILE_BYTES);
      rig.clock.advance(60);
      await settle();
      expect(rig.ledger.used).toBe(10 * FILE_BYTES);
      expect(range(0, 40).filter((n) => rig.has(n))).toEqual(range(20, 30));
      await rig.space.close();
    }));

  it("sweeps temporary files with each count, by the time of the file system", () =>
    withTempFolder(async (root) => {
      const rig = await SpaceRig.open(root, options);
      const temp = join(rig.folder, "ab", "77-00112233aabb-1-1.tmp");
      await leaveFile(temp, 30, 3500);
      rig.clock.advance(60);
      await settle();
      expect(rig.ledger.used).toBe(30);
      setAge(temp, 3700);
      rig.clock.advance(60);
      await settle();
      expect(rig.ledger.used).toBe(0);
      expect(await filesBelow(rig.folder)).toEqual([]);
      await rig.space.close();
    }));

  it("removes what killed processes left before its time when nothing else can go, and nothing that is being written", () =>
    withTempFolder(async (root) => {
      const rig = await SpaceRig.open(root, options);
      const temps = [1, 2].map((count) => join(rig.folder, "ab", `77-00112233aabb-1-${count}.tmp`));
      await leaveFile(temps[0] ?? "", 950, 70);
      await leaveFile(temps[1] ?? "", 20, 10);
      rig.clock.advance(60);
      await settle();
      expect(rig.ledger.used).toBe(970);
      expect(await rig.store([1])).toBe(1);
      expect(temps.map((temp) => existsSync(temp))).toEqual([false, true]);
      await rig.keeper.tell();
      expect(rig.ledger.used).toBe(20 + FILE_BYTES);
      await rig.space.close();
    }));

  it("leaves evicting to the one that has the lease, and stores when it sees the room that one made", () =>
    withTempFolder(async (root) => {
      const holder = await SpaceRig.open(root, options);
      const other = await SpaceRig.open(root, options);
      await other.store(range(0, 10));
      const waiting = other.store([10]);
      await settle();
      expect(range(0, 11).filter((n) => other.has(n))).toEqual(range(0, 10));

      await holder.keeper.remove({ op: "remove", files: [fileOf(3)] });
      other.clock.advance(1);
      expect(await waiting).toBe(1);
      expect(range(0, 11).filter((n) => other.has(n))).toEqual([0, 1, 2, ...range(4, 11)]);
      await Promise.all([holder.space.close(), other.space.close()]);
      expect(await filesBelow(root)).not.toContain("evict.lock");
    }));

  it("lets two that have no room evict by turns, whether the other one has anything to store or not", () =>
    withTempFolder(async (root) => {
      const rigs = [await SpaceRig.open(root, options), await SpaceRig.open(root, options)] as const;
      await rigs[0].store(range(0, 10));
      await rigs[1].keeper.scan();
      for (let n = 100; n < 106; n++) {
        // The first has it now; and it is the turn of the second, and so on.
        const rig = rigs[n % 2 === 0 ? 1 : 0];
        let isStored = false;
        const waiting = rig.store([n]).then((count) => (isStored = count === 1));
        // A heartbeat, and then the next look at whose turn it is, with the rest of who has passed it on.
        for (let s = 0; s < 6 && !isStored; s++) {
          await settle();
          for (const { clock } of rigs) clock.advance(1);
          await settle();
        }
        expect(isStored).toBe(true);
        await waiting;
        expect(rig.bytesOnDisk(root)).toBeLessThanOrEqual(options.maxBytes);
      }
      for (const { space } of rigs) await space.close();
      expect((await filesBelow(root)).filter((file) => file.endsWith(".lock"))).toEqual([]);
    }));

  it("ends the wait for another to make room when it closes", () =>
    withTempFolder(async (root) => {
      const holder = await SpaceRig.open(root, options);
      const other = await SpaceRig.open(root, options);
      await other.store(range(0, 10));
      const waiting = other.store([10]);
      await settle();
      await other.space.close();
      expect(await waiting).toBe(0);
      await holder.space.close();
      expect(await filesBelow(root)).not.toContain("evict.next.lock");
    }));

  it.each([
    ["until it is removed", 0],
    ["and counts it until a scan could remove it", 30],
  ])("keeps room for what an ended thread left %s", (_, stuckBytes) =>
    withTempFolder(async (root) => {
      const fs = await import("node:fs");
      let isBroken = stuckBytes > 0;
      const rig = await SpaceRig.open(root, {
        ...options,
        io: {
          unlinkSync: (path: PathLike) => {
            if (isBroken && String(path).includes("-9-")) throw Object.assign(new Error("EIO"), { code: "EIO" });
            fs.unlinkSync(path);
          },
        },
      });
      const temps = [8, 9].map((thread) => join(rig.folder, "05", `${rig.writerId}-${thread}-1.tmp`));
      const { end } = await rig.space.admit([fileOf(5)], new AbortController().signal);
      for (const temp of temps) await leaveFile(temp, 30, 0);
      rig.keeper.threadEnded(9);
      end([null], true);
      expect(rig.ledger.reserved).toBe(FILE_BYTES);
      await settle();
      expect({ reserved: rig.ledger.reserved, used: rig.ledger.used }).toEqual({ reserved: 0, used: stuckBytes });
      isBroken = false;
      rig.clock.advance(60);
      await settle();
      expect(rig.ledger.used).toBe(0);
      // The other thread is at work on its own.
      expect(temps.map((temp) => fs.existsSync(temp))).toEqual([true, false]);
      await rig.space.close();
    }),
  );

  it("lets no store in while nothing is counted, counts again at most once a second, and goes on when it can", () =>
    withTempFolder(async (root) => {
      let isBroken = false;
      let scans = 0;
      const fs = await import("node:fs");
      const rig = await SpaceRig.open(root, {
        ...options,
        io: {
          readdirSync: ((path: string, how: object) => {
            if (path === root && isBroken) {
              scans++;
              throw Object.assign(new Error("EIO"), { code: "EIO" });
            }
            return fs.readdirSync(path, how);
          }) as never,
        },
      });
      isBroken = true;
      rig.ledger.confirm({ used: 0, isCounted: false });
      rig.clock.advance(2);
      for (let i = 0; i < 20; i++) expect(await rig.store([i])).toBe(0);
      expect(scans).toBe(1);
      expect(rig.faults).toEqual(["The stored blocks could not be counted"]);
      isBroken = false;
      rig.clock.advance(2);
      expect(await rig.store([1])).toBe(1);
      await rig.space.close();
    }));

  it("lets stores in as they came when many wait for room", () =>
    withTempFolder(async (root) => {
      const rig = await SpaceRig.open(root, options);
      await rig.store(range(0, 10));
      const order: number[] = [];
      await Promise.all(
        range(10, 20).map(async (n) => {
          if ((await rig.store([n])) === 1) order.push(n);
        }),
      );
      expect(order).toEqual([...order].sort((a, b) => a - b));
      expect(rig.bytesOnDisk(root)).toBeLessThanOrEqual(options.maxBytes);
      await rig.keeper.tell();
      expect(rig.ledger.used).toBe(rig.bytesOnDisk(root));
      await rig.space.close();
    }));

  it("gives up the wait for room when nobody wants it any more", () =>
    withTempFolder(async (root) => {
      const rig = await SpaceRig.open(root, options);
      await rig.store(range(0, 10));
      const abort = new AbortController();
      const waiting = rig.space.admit(["ab/ab01_g0.bin"], abort.signal);
      abort.abort(new Error("too late"));
      await expect(waiting).rejects.toThrow("too late");
      await settle();
      expect(rig.ledger.reserved).toBe(0);
      expect(await rig.store([11])).toBe(1);
      await rig.space.close();
    }));
});
