import { execFileSync } from "node:child_process";
import { rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { KvTierError } from "../../src/errors/kv-tier-error.js";
import { DiskRig, withoutStrayRejections } from "./disk-rig.js";
import type { DiskTierType } from "./disk-tiers.js";
import { filesBelow } from "./temp-folder.js";

/**
 * A process for tests of tiers on small file systems: `small-fs-process.ts <scenario> <type> <mount point>`. It is
 * started where that file system is mounted for it alone. Prints a line when it has started, and at the end one of JSON:
 * what it saw.
 */
const [scenario = "", type = "", mountPoint = ""] = process.argv.slice(2);
const MIB = 2 ** 20;

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);
const root = join(mountPoint, "kv");
const open = (): Promise<DiskRig> =>
  DiskRig.open({ type: type as DiskTierType, root, maxBytes: null, blockBytes: MIB });
const remount = (mode: "ro" | "rw"): void =>
  void execFileSync("mount", ["-o", `remount,${mode}`, mountPoint], { stdio: "pipe" });

/** Closes also after a failure: the tier's threads would keep the process alive. */
async function withRig<T>(body: (rig: DiskRig) => Promise<T>): Promise<T> {
  const rig = await open();
  try {
    return await body(rig);
  } finally {
    await rig.close();
  }
}

const SCENARIOS: Readonly<Record<string, () => Promise<object>>> = {
  /** Stores twice as much as there is room for. */
  "fill up": () =>
    withRig(async (rig) => {
      await rig.store(range(0, 128));
      const held = await rig.held(range(0, 128));
      const newest = held.filter((n) => n >= 96);
      const { bavail, bsize } = await statfs(mountPoint);
      const unfinished = (await filesBelow(root)).filter((file) => file.endsWith(".tmp"));
      await rig.store(range(200, 4));
      const stillHeld = await rig.held([...held, ...range(200, 4)]);
      await rig.tiering.manager.resetCache({ tiers: true });
      await rig.expectStores(range(300, 8));
      await rig.expectQuiet();
      return {
        held: held.length,
        newest: newest.length,
        freeBytes: bavail * bsize,
        unfinished,
        stillHeld: stillHeld.length,
        said: rig.visibleLines.map(({ fields }) => fields?.error ?? null),
      };
    }),

  "start read-only": async () => {
    remount("ro");
    const reason = await open().catch((error: unknown) => error);
    if (!KvTierError.is(reason)) throw new Error("A folder that cannot be made was opened.", { cause: reason });
    remount("rw");
    await withRig((rig) => rig.expectStores(range(0, 4)));
    return { code: reason.code, message: reason.message };
  },

  "become read-only": () =>
    withRig(async (rig) => {
      await rig.store(range(0, 4));
      try {
        remount("ro");
      } catch (error) {
        // A tier that keeps files open to write to cannot have it happen to it.
        return { refused: String(error), openFiles: (await rig.openFiles()).length };
      }
      const held = await rig.held(range(0, 4));
      await rig.store(range(10, 4));
      const heldOfLater = await rig.held(range(10, 4));
      remount("rw");
      await rig.expectStores(range(10, 4));
      await rig.expectQuiet();
      return { held, heldOfLater };
    }),

  "lose the folder": async () => {
    await withRig(async (rig) => {
      await rig.store(range(0, 4));
      await rm(root, { recursive: true });
      await rig.held(range(0, 4));
      await rig.store(range(10, 4));
      await rig.held(range(10, 4));
      await rig.expectQuiet();
    });
    await withRig((rig) => rig.expectStores(range(20, 4)));
    return {};
  },

  "lose the mount": async () => {
    await withRig(async (rig) => {
      await rig.store(range(0, 4));
      execFileSync("umount", ["--lazy", mountPoint]);
      await rig.held(range(0, 4));
      await rig.store(range(10, 4));
      // Tiers look after their folder every few seconds.
      for (let s = 0; s < 20; s += 2) {
        rig.tiering.clock.advance(2);
        await rig.held(range(10, 4));
      }
      await rig.store(range(20, 4));
      await rig.expectQuiet();
    });
    return { below: await filesBelow(mountPoint) };
  },
};

process.stdout.write("started\n");
await withoutStrayRejections(async () => {
  const report = await SCENARIOS[scenario]?.();
  process.stdout.write(`${JSON.stringify(report)}\n`);
});
