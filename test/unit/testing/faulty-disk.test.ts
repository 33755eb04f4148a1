import { constants } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "@jest/globals";
import { makeOffloadKey } from "../../../src/contracts/offload-key.js";
import { KvTierError } from "../../../src/errors/kv-tier-error.js";
import { createTestTiering } from "../../../src/testing/create-test-tiering.js";
import type { DiskCall, DiskFault } from "../../../src/testing/disk-fault.js";
import { FaultyDisk } from "../../../src/testing/faulty-disk.js";
import { testContainer } from "../../support/tiering-container.js";
import { withTempFolder } from "../../support/temp-folder.js";

type Call = readonly [name: string, ...args: unknown[]];

/** What a thread does with the calls it is sent: answers each with its value, or with the code of its error. */
const THREAD = `
  const { parentPort, workerData } = require("node:worker_threads");
  import(workerData.ioModule).then((fs) =>
    parentPort.on("message", (calls) =>
      parentPort.postMessage(calls.map(([name, ...args]) => {
        try {
          const value = fs[name](...args);
          return typeof value === "number" ? value : "done";
        } catch (error) {
          return error.code;
        }
      }))));
`;

interface Parts {
  readonly disk: FaultyDisk;
  readonly folder: string;
  readonly thread: Worker;
  /** Makes the calls on the thread, one after the other. */
  readonly run: (...calls: Call[]) => Promise<unknown[]>;
}

function withThread(body: (parts: Parts) => Promise<void>): Promise<void> {
  return withTempFolder(async (folder) => {
    const disk = new FaultyDisk();
    const thread = new Worker(THREAD, { eval: true, workerData: disk.io });
    const run = (...calls: Call[]): Promise<unknown[]> =>
      new Promise((resolve) => {
        thread.once("message", resolve);
        thread.postMessage(calls);
      });
    try {
      await body({ disk, folder, thread, run });
    } finally {
      disk.close();
      await thread.terminate();
    }
  });
}

const BLOCK = new Uint8Array(64);

describe("FaultyDisk", () => {
  it("is the real file system where no fault is set", () =>
    withThread(async ({ disk, folder, run }) => {
      const [fd] = await run(["openSync", join(folder, "a"), "w+"]);
      expect(await run(["writeSync", fd, BLOCK], ["fsyncSync", fd], ["closeSync", fd], ["closeSync", fd])).toEqual([
        64,
        "done",
        "done",
        "EBADF",
      ]);
      expect(disk.injected).toBe(0);
    }));

  it("lets each kind of call fail with the error asked for, in all its forms, until it is cleared", () =>
    withThread(async ({ disk, folder, run }) => {
      const path = join(folder, "a");
      await writeFile(path, BLOCK);
      const [fd] = await run(["openSync", path, "r+"]);
      const calls: Partial<Record<DiskCall, Call[]>> = {
        open: [["openSync", path, "r"]],
        read: [
          ["readSync", fd, BLOCK, 0, 64, 0],
          ["readvSync", fd, [BLOCK], 0],
        ],
        write: [
          ["writeSync", fd, BLOCK, 0, 64, 0],
          ["writevSync", fd, [BLOCK], 0],
        ],
        stat: [
          ["statSync", path],
          ["lstatSync", path],
          ["fstatSync", fd],
          ["realpathSync", path],
        ],
        mkdir: [["mkdirSync", join(folder, "b")]],
        readdir: [["readdirSync", folder]],
        truncate: [
          ["ftruncateSync", fd, 64],
          ["truncateSync", path, 64],
        ],
        sync: [
          ["fsyncSync", fd],
          ["fdatasyncSync", fd],
        ],
        utimes: [
          ["utimesSync", path, 1, 1],
          ["futimesSync", fd, 1, 1],
          ["lutimesSync", path, 1, 1],
        ],
        close: [["closeSync", fd]],
        rename: [["renameSync", path, path]],
        unlink: [
          ["unlinkSync", path],
          ["rmSync", path],
        ],
      };
      for (const [call, ways] of Object.entries(calls)) {
        disk.set(call as DiskCall, { error: "EIO" });
        expect({ call, answers: await run(...ways) }).toEqual({ call, answers: ways.map(() => "EIO") });
        disk.clear(call as DiskCall);
      }
      expect(disk.injected).toBe(Object.values(calls).flat().length);
      // Only a close does what it reports as failed: nothing else may be left open.
      expect(await run(["fstatSync", fd], ["unlinkSync", path])).toEqual(["EBADF", "done"]);
    }));

  it("moves half of the bytes before it fails, or only some of them at a time", () =>
    withThread(async ({ disk, folder, run }) => {
      const [fd] = await run(["openSync", join(folder, "a"), "w+"]);
      disk.set("write", { error: "ENOSPC", afterHalf: true });
      expect(await run(["writeSync", fd, BLOCK])).toEqual(["ENOSPC"]);
      disk.set("write", { maxBytes: 100 });
      expect(await run(["writevSync", fd, [BLOCK, BLOCK]])).toEqual([100]);
      disk.set("read", { maxBytes: 7 });
      expect(await run(["readSync", fd, BLOCK, 0, 64, 0], ["readvSync", fd, [BLOCK, BLOCK], 0])).toEqual([7, 7]);
      disk.clear();
      expect(await run(["readvSync", fd, [BLOCK, BLOCK, BLOCK], 0])).toEqual([132]);
    }));

  it("picks calls by their number, or by a seed", () =>
    withThread(async ({ disk, folder, run }) => {
      const answers = async (fault: DiskFault): Promise<unknown[]> => {
        disk.set("stat", fault);
        return run(...Array.from({ length: 200 }, (): Call => ["statSync", folder]));
      };
      expect((await answers({ error: "EIO", every: 3 })).slice(0, 6)).toEqual([
        "done",
        "done",
        "EIO",
        "done",
        "done",
        "EIO",
      ]);
      const some = await answers({ error: "EIO", rate: 0.25, seed: 7 });
      const failed = some.filter((answer) => answer === "EIO").length;
      expect(failed).toBeGreaterThan(25);
      expect(failed).toBeLessThan(75);
      expect(await answers({ error: "EIO", rate: 0.25, seed: 7 })).toEqual(some);
      expect(await answers({ error: "EIO", rate: 0.25, seed: 8 })).not.toEqual(some);
    }));

  it("can fail direct I/O alone", () =>
    withThread(async ({ disk, folder, run }) => {
      const path = join(folder, "a");
      const flags = constants.O_RDWR | constants.O_CREAT;
      disk.set("open", { error: "EINVAL", directOnly: true });
      const [refused, plain] = await run(["openSync", path, flags | constants.O_DIRECT], ["openSync", path, flags]);
      expect(refused).toBe("EINVAL");
      disk.clear();
      const [direct] = await run(["openSync", path, flags | constants.O_DIRECT]);
      disk.set("write", { error: "EINVAL", directOnly: true });
      expect(await run(["writeSync", direct, BLOCK], ["writeSync", plain, BLOCK])).toEqual(["EINVAL", 64]);
    }));

  it("hangs in a call that the end of its thread does not end, until it is released", () =>
    withThread(async ({ disk, folder, thread, run }) => {
      disk.set("stat", { hang: true });
      const first = run(["statSync", folder]);
      await disk.untilHung(1);
      disk.release();
      expect(await first).toEqual(["done"]);

      disk.set("stat", { hang: true });
      void run(["statSync", folder]);
      await disk.untilHung(2);
      const aWhile = (): Promise<unknown> => new Worker("setInterval(() => {}, 1000)", { eval: true }).terminate();
      // It says so right before it hangs; one that is ended in between does not come to it.
      await aWhile();
      let hasEnded = false;
      const ended = thread.terminate().then(() => (hasEnded = true));
      // Time enough for one that does not hang.
      await aWhile();
      expect(hasEnded).toBe(false);
      disk.release();
      await ended;
    }));

  it("stands under a tier of a container, and the tier recovers with it", () =>
    withTempFolder(async (folder) => {
      const disk = new FaultyDisk();
      const config = {
        cpu_bytes_to_use: 4096,
        block_bytes: 1024,
        model: { name: "m", dtype: "f16", tokens_per_block: 16 },
        secondary_tiers: [{ type: "fs", root_dir: folder }],
      };
      await using tiering = await createTestTiering(config, {
        configure: (container) => disk.attach(container, "fs"),
      });
      const { cache, manager } = tiering;
      const key = makeOffloadKey("aa");
      const roundTrip = async (): Promise<Uint8Array[]> => {
        await cache.put([key], [BLOCK_OF_7]);
        await cache.flush();
        await manager.resetCache();
        return cache.get([key]);
      };
      disk.set("write", { error: "ENOSPC" });
      expect(await roundTrip()).toEqual([]);
      expect(disk.injected).toBe(1);
      disk.clear();
      expect(await roundTrip()).toEqual([BLOCK_OF_7]);

      await manager.resetCache();
      disk.set("read", { hang: true });
      const loading = cache.acquire([key], { deadlineS: 0.5 });
      await disk.untilHung(1);
      tiering.clock.advance(0.5);
      expect((await loading).hits).toBe(0);
      disk.close();
    }));

  it("refuses a tier that knows no disk, and faults that cannot come about", async () => {
    const disk = new FaultyDisk();
    await expect(disk.attach(testContainer().container, "example")).rejects.toThrow(/example tier makes no calls/);
    const impossible: [DiskCall, DiskFault, RegExp][] = [
      ["rename", { error: "EIO", afterHalf: true }, /moves no bytes/],
      ["stat", { maxBytes: 1 }, /moves no bytes/],
      ["read", { maxBytes: 0 }, /maxBytes/],
      ["read", { error: "EIO", every: 0 }, /every/],
      ["read", { error: "EIO", rate: 0 }, /rate/],
      ["read", { error: "ENOSUCH" as "EIO" }, /no error ENOSUCH/],
    ];
    for (const [call, fault, message] of impossible) {
      const attempt = (): void => disk.set(call, fault);
      expect(attempt).toThrow(message);
      expect(attempt).toThrow(KvTierError);
    }
  });
});

const BLOCK_OF_7 = new Uint8Array(1024).fill(7);
