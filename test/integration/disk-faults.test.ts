import { describe, expect, it } from "@jest/globals";
import { KvTierError } from "../../src/errors/kv-tier-error.js";
import type { DiskCall, DiskErrorCode, DiskFault } from "../../src/testing/disk-fault.js";
import { FaultyDisk } from "../../src/testing/faulty-disk.js";
import { DiskRig, withoutStrayRejections, type DiskRigOptions } from "../support/disk-rig.js";
import { DISK_TIER_TYPES } from "../support/disk-tiers.js";
import { withTempFolder } from "../support/temp-folder.js";

const CALLS: readonly DiskCall[] = [
  ...(["open", "close", "read", "write", "stat", "rename", "unlink"] as const),
  ...(["mkdir", "readdir", "truncate", "sync", "utimes"] as const),
];
const ERRORS: readonly DiskErrorCode[] = [
  ...(["ENOSPC", "EIO", "EROFS", "EACCES", "EBUSY", "EMFILE", "EINVAL", "ENOENT", "ESTALE"] as const),
];
/** What else may become of a call than an error: other bytes than asked for. */
const TRANSFER_FAULTS: readonly DiskFault[] = [
  { error: "ENOSPC", afterHalf: true },
  { error: "EIO", afterHalf: true },
  { error: "EINVAL", directOnly: true },
  { maxBytes: 1000 },
];

const NEVER_STORED = 2 ** 20;

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);

/** Numbers of blocks that nobody used before, a few at a time. */
function fresh(): (count: number) => number[] {
  let next = 0;
  return (count) => range((next += count) - count, count);
}

function onFaultyDisk(
  options: Pick<DiskRigOptions, "type">,
  body: (parts: { rig: DiskRig; disk: FaultyDisk }) => Promise<void>,
): Promise<void> {
  return withTempFolder((root) =>
    withoutStrayRejections(async () => {
      const disk = new FaultyDisk();
      const rig = await DiskRig.open({ ...options, root, disk });
      try {
        await body({ rig, disk });
      } finally {
        // Whatever happens: a process with a thread that hangs in a call cannot end.
        disk.close();
        await rig.inTime(rig.close());
      }
    }),
  );
}

/** Everything that a tier does with its disk, once, under whatever goes wrong: it may miss, and that is all. */
async function use(rig: DiskRig, stored: readonly number[], unstored: readonly number[]): Promise<void> {
  await rig.held(stored);
  await rig.store(unstored);
  await rig.held([...unstored, ...stored, NEVER_STORED]);
}

describe.each(DISK_TIER_TYPES)("%s on a disk that fails", (type) => {
  it.each(CALLS)("misses and goes on, whatever error a %s has, and works when it has none", (call) =>
    onFaultyDisk({ type }, async ({ rig, disk }) => {
      const take = fresh();
      const faults: DiskFault[] = ERRORS.map((error) => ({ error }));
      if (call === "read" || call === "write") faults.push(...TRANSFER_FAULTS);
      for (const fault of faults) {
        const [stored, unstored, later] = [take(2), take(4), take(4)];
        await rig.store(stored);
        disk.set(call, fault);
        await use(rig, stored, unstored);
        disk.clear();
        await rig.expectRecovery([...later, ...unstored]);
        await rig.expectQuiet();
      }
      if (call === "read" || call === "write") expect(disk.injected).toBeGreaterThanOrEqual(faults.length);
      // One for each segment, where a tier has them; calls that leave theirs behind make it dozens.
      expect((await rig.openFiles()).length).toBeLessThan(10);
    }),
  );

  it.each(CALLS)("ends every job and look-up in time while a %s hangs, and works when it does not", (call) =>
    onFaultyDisk({ type }, async ({ rig, disk }) => {
      const [stored, unstored, later] = [range(0, 4), range(4, 8), range(20, 4)];
      await rig.store(stored);
      disk.set(call, { hang: true });
      await rig.inTime(use(rig, stored, unstored), () => disk.hung > 0);
      if (call === "read" || call === "write") expect(disk.hung).toBeGreaterThan(0);
      disk.release();
      await rig.expectQuiet();
      await rig.expectRecovery([...later, ...unstored]);
    }),
  );

  it("clears what it can while files cannot be removed or listed, and all of it afterwards", () =>
    onFaultyDisk({ type }, async ({ rig, disk }) => {
      const clear = (): Promise<unknown> => rig.tiering.manager.resetCache({ tiers: true });
      for (const call of ["unlink", "readdir", "truncate", "rename"] as const) {
        await rig.store(range(0, 8));
        disk.set(call, { error: "EBUSY" });
        await clear();
        await rig.held(range(0, 8));
        disk.clear();
        await clear();
        expect(await rig.held(range(0, 8))).toEqual([]);
      }
    }));

  it("starts or says why it does not, whatever fails meanwhile, and starts when nothing does", () =>
    withTempFolder((root) =>
      withoutStrayRejections(async () => {
        // Room for all: a lease to evict that could not be given back is good for some seconds, in real time.
        const start = (disk?: FaultyDisk): Promise<DiskRig> =>
          DiskRig.open({ type, root, maxBytes: 2 ** 20, ...(disk && { disk }) });
        for (const [i, call] of CALLS.entries()) {
          const disk = new FaultyDisk();
          disk.set(call, { error: i % 2 === 0 ? "EIO" : "EACCES" });
          const started = await start(disk).catch((reason: unknown) => reason);
          if (started instanceof DiskRig) {
            await started.held(range(0, 4 * i));
            await started.close();
          } else expect(KvTierError.is(started, "TIER_INIT_FAILED")).toBe(true);
          const rig = await start();
          await rig.expectStores(range(4 * i, 4));
          await rig.close();
        }
      }),
    ));

  it("says a failure that goes on a few times, not every time", () =>
    onFaultyDisk({ type }, async ({ rig, disk }) => {
      disk.set("write", { error: "ENOSPC" });
      for (let n = 0; n < 100; n++) await rig.store([n]);
      const said = rig.visibleLines;
      expect(said.length).toBeGreaterThan(0);
      expect(said.length).toBeLessThan(10);
      expect(JSON.stringify(said)).toContain("ENOSPC");
    }));
});
