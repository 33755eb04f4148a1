import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { FaultyDisk } from "../../../../src/testing/faulty-disk.js";
import { DiskWorkers } from "../../../../src/tiers/disk/disk-workers.js";
import type {
  FileReplies,
  FileTask,
  FileWorkerData,
  FileWorkers,
  TransferTask,
} from "../../../../src/tiers/fs/file-tasks.js";
import { withTempFolder } from "../../../support/temp-folder.js";

const ENTRY = new URL("../../../../src/tiers/fs/worker/file-worker.js", import.meta.url);
const BYTES = 64;
const FILE = "ab/abcd_g0.bin";

interface Parts {
  readonly workers: FileWorkers;
  readonly memory: Uint8Array;
  readonly disk: FaultyDisk;
  readonly folder: string;
}

function withWorkers(body: (parts: Parts) => Promise<void>, maxThreads = 1): Promise<void> {
  return withTempFolder(async (root) => {
    const disk = new FaultyDisk();
    const folder = join(root, "blocks");
    const buffer = new SharedArrayBuffer(2 * BYTES);
    const workerData: FileWorkerData = {
      ...disk.io,
      folder,
      blockBytes: BYTES,
      writerId: "1-a",
      buffers: [buffer],
    };
    const workers = new DiskWorkers<FileTask, FileReplies>({
      entry: ENTRY,
      minThreads: 1,
      maxThreads,
      workerData,
      onError: (error) => {
        throw error;
      },
    });
    try {
      await body({ workers, memory: new Uint8Array(buffer), disk, folder });
    } finally {
      disk.close();
      await workers.close();
    }
  });
}

const task = (op: TransferTask["op"], offset: number): TransferTask => ({
  op,
  files: [FILE],
  buffers: [0],
  offsets: [offset],
});

describe("DiskWorkers, with the tasks of the fs tier", () => {
  it("answers per block, with the code of what went wrong", () =>
    withWorkers(async ({ workers, disk }) => {
      const [missing] = await workers.run(task("load", 0));
      expect(missing).toMatchObject({ message: expect.stringContaining(FILE) as unknown });
      disk.set("write", { error: "ENOSPC", afterHalf: true });
      expect(await workers.run(task("store", 0))).toEqual([
        { message: "ENOSPC: injected fault, writev", code: "ENOSPC" },
      ]);
      disk.clear();
      const both = { ...task("store", 0), files: [FILE, null], buffers: [0, 0], offsets: [0, 0] };
      expect(await workers.run(both)).toEqual([BYTES, { message: expect.stringContaining("key") as unknown }]);
      expect(await workers.run({ op: "has", files: [FILE, null, "ab/ef_g0.bin"] })).toEqual([true, false, false]);
    }));

  it("refuses memory that it was not given", () =>
    withWorkers(async ({ workers }) => {
      await workers.run(task("store", 0));
      for (const place of [{ buffers: [1] }, { offsets: [BYTES + 1] }, { offsets: [-1] }]) {
        expect(await workers.run({ ...task("load", 0), ...place })).toEqual([
          expect.objectContaining({ message: expect.any(String) as unknown }),
        ]);
      }
    }));

  it(
    "rejects an aborted task only when its thread is gone, and runs the next on a new one",
    () =>
      withWorkers(async ({ workers, memory, disk }) => {
        memory.fill(1, 0, BYTES);
        await workers.run(task("store", 0));
        disk.set("read", { hang: true });
        const abort = new AbortController();
        let isSettled = false;
        const aborted = workers.run(task("load", BYTES), abort.signal).finally(() => (isSettled = true));
        const outcome = aborted.catch((reason: unknown) => reason);
        await disk.untilHung(1);
        const reason = new Error("not wanted any more");
        abort.abort(reason);

        disk.clear();
        for (let i = 0; i < 20; i++) expect(await workers.run({ op: "has", files: [FILE] })).toEqual([true]);
        expect(isSettled).toBe(false);

        disk.release();
        expect(await outcome).toBe(reason);
        expect(memory.subarray(BYTES)).toEqual(new Uint8Array(BYTES));
      }),
    20_000,
  );

  it("rejects what runs when it is closed only when the threads are gone", () =>
    withWorkers(async ({ workers, disk }) => {
      disk.set("write", { hang: true });
      const events: string[] = [];
      const running = workers.run(task("store", 0)).catch(() => events.push("rejected"));
      await disk.untilHung(1);
      const closed = workers.close().then(() => events.push("closed"));
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect(events).toEqual([]);
      disk.release();
      await Promise.all([closed, running]);
      expect(events.sort()).toEqual(["closed", "rejected"]);
    }));

  it(
    "takes an aborted task that waits out of the queue at once",
    () =>
      withWorkers(async ({ workers, disk }) => {
        disk.set("write", { hang: true });
        const running = workers.run(task("store", 0));
        await disk.untilHung(1);
        const abort = new AbortController();
        const waiting = workers.run({ ...task("store", 0), files: ["ab/ef_g0.bin"] }, abort.signal);
        abort.abort(new Error("not wanted"));
        await expect(waiting).rejects.toThrow("not wanted");
        await expect(workers.run(task("load", 0), abort.signal)).rejects.toThrow("not wanted");
        disk.release();
        expect(await running).toEqual([BYTES]);
        expect(await workers.run({ op: "has", files: ["ab/ef_g0.bin"] })).toEqual([false]);
      }),
    20_000,
  );

  it(
    "runs what waits behind a task that hangs on a thread that has nothing to do",
    () =>
      withWorkers(async ({ workers, disk }) => {
        disk.set("write", { hang: true });
        const hung = workers.run(task("store", 0));
        await disk.untilHung(1);
        // One of these is sent to the thread that hangs, as both have work.
        const others = [1, 2, 3].map(() => workers.run({ op: "has", files: [FILE] }));
        expect(await Promise.all(others)).toEqual([[false], [false], [false]]);
        disk.release();
        expect(await hung).toEqual([BYTES]);
      }, 2),
    20_000,
  );

  it(
    "runs what waited behind an aborted task on another thread",
    () =>
      withWorkers(async ({ workers, disk }) => {
        disk.set("write", { hang: true });
        const abort = new AbortController();
        const aborted = workers.run(task("store", 0), abort.signal).catch((reason: unknown) => reason);
        await disk.untilHung(1);
        const behind = workers.run({ op: "has", files: [FILE] });
        disk.clear();
        abort.abort(new Error("not wanted"));
        expect(await behind).toEqual([false]);
        disk.release();
        expect(await aborted).toMatchObject({ message: "not wanted" });
      }),
    20_000,
  );

  it(
    "runs what waits behind a task that hangs when a thread goes",
    () =>
      withWorkers(async ({ workers, disk }) => {
        disk.set("write", { hang: true });
        const hung = workers.run(task("store", 0));
        await disk.untilHung(1);
        const abort = new AbortController();
        const aborted = workers
          .run({ ...task("store", 0), files: ["ab/ef_g0.bin"] }, abort.signal)
          .catch((reason: unknown) => reason);
        await disk.untilHung(2);
        const waiting = workers.run({ op: "has", files: [FILE] });
        abort.abort(new Error("not wanted"));
        expect(await waiting).toEqual([false]);
        disk.release();
        expect(await aborted).toMatchObject({ message: "not wanted" });
        expect(await hung).toEqual([BYTES]);
      }, 2),
    20_000,
  );

  it(
    "ends the thread of an aborted task though the answer of the one before was not taken in yet",
    () =>
      withWorkers(async ({ workers, disk }) => {
        await workers.run({ op: "has", files: [FILE] });
        disk.set("write", { hang: true });
        const abort = new AbortController();
        const before = workers.run({ op: "has", files: [FILE] });
        const aborted = workers.run(task("store", 0), abort.signal).catch((reason: unknown) => reason);
        // No turn of the loop in between: the answer is there, and nobody has looked.
        const pause = new Int32Array(new SharedArrayBuffer(4));
        while (disk.hung < 1) Atomics.wait(pause, 0, 0, 1);
        disk.clear();
        abort.abort(new Error("not wanted"));
        expect(await workers.run({ op: "has", files: [FILE] })).toEqual([false]);
        expect(await before).toEqual([false]);
        disk.release();
        expect(await aborted).toMatchObject({ message: "not wanted" });
      }),
    20_000,
  );

  it("rejects a task that throws, and goes on", () =>
    withWorkers(async ({ workers }) => {
      await expect(workers.run({ ...task("load", 0), files: 7 as unknown as string[] })).rejects.toThrow("map");
      expect(await workers.run({ op: "has", files: [FILE] })).toEqual([false]);
    }));

  it("starts threads for tasks that are still to come, as many as there may be, and none once it is closed", () =>
    withWorkers(async ({ workers }) => {
      workers.start(5);
      workers.start(1);
      expect(workers.idleThreads).toBe(2);
      await workers.close();
      workers.start(2);
      expect(workers.idleThreads).toBe(0);
    }, 2));

  it("rejects the task of a thread that cannot start, and the next one too", () =>
    withTempFolder(async (folder) => {
      const workers = new DiskWorkers<FileTask, FileReplies>({
        entry: new URL(join(folder, "not-there.js"), "file:"),
        minThreads: 0,
        maxThreads: 1,
        workerData: { ioModule: "node:fs", blockBytes: BYTES, buffers: [] },
        onError: (error) => {
          throw error;
        },
      });
      for (let i = 0; i < 2; i++) await expect(workers.run(task("load", 0))).rejects.toThrow("not-there");
      await workers.close();
      await expect(workers.run(task("load", 0))).rejects.toThrow("shut down");
    }));
});
