import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, it } from "@jest/globals";
import fc from "fast-check";
import type { DiskCall, DiskFault } from "../../src/testing/disk-fault.js";
import { FaultyDisk } from "../../src/testing/faulty-disk.js";
import { DiskRig, expectOwnBytes, keyOf, withoutStrayRejections } from "../support/disk-rig.js";
import { DISK_TIER_TYPES } from "../support/disk-tiers.js";
import { withTempFolder } from "../support/temp-folder.js";

/** More than the tier is bounded to, so that it evicts. */
const KEYS = 24;
/** Threads start and end many times, which takes long on a busy machine. */
const TIMEOUT_MS = 240_000;

type Step =
  | { readonly kind: "put" | "get"; readonly from: number; readonly count: number }
  | { readonly kind: "fault"; readonly call: DiskCall; readonly fault: DiskFault }
  | { readonly kind: "heal" | "empty pool" | "clear" }
  | { readonly kind: "wait"; readonly turns: number; readonly seconds: number };

const trigger = fc.oneof(
  fc.constant({}),
  fc.record({ every: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ rate: fc.constantFrom(0.1, 0.5), seed: fc.nat(1000) }),
);
const error = fc.constantFrom("ENOSPC", "EIO", "EACCES", "EBUSY", "EMFILE", "ENOENT", "EROFS", "ESTALE");
const plainFault = fc.oneof(fc.record({ error }), fc.record({ hang: fc.constant(true as const) }));
const transferFault = fc.oneof(
  plainFault,
  fc.record({ error, afterHalf: fc.constant(true) }),
  fc.record({ maxBytes: fc.constantFrom(1, 512, 1000, 4095) }),
);
const plainCall = fc.constantFrom<DiskCall>(
  ...(["open", "close", "stat", "rename", "unlink", "mkdir", "readdir", "truncate", "sync", "utimes"] as const),
);
const fault = <T extends DiskFault>(call: fc.Arbitrary<DiskCall>, faults: fc.Arbitrary<T>): fc.Arbitrary<Step> =>
  fc
    .tuple(call, faults, trigger)
    .map(([call, fault, when]): Step => ({ kind: "fault", call, fault: { ...fault, ...when } }));

const blocks = { from: fc.nat(KEYS - 1), count: fc.integer({ min: 1, max: 5 }) };
const put = fc.record({ kind: fc.constant("put" as const), ...blocks });
const get = fc.record({ kind: fc.constant("get" as const), ...blocks });
const wait = fc.record({
  kind: fc.constant("wait" as const),
  turns: fc.integer({ min: 1, max: 30 }),
  seconds: fc.constantFrom(0, 0, 1, 40),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: put, weight: 8 },
  { arbitrary: get, weight: 8 },
  { arbitrary: wait, weight: 6 },
  { arbitrary: fault(plainCall, plainFault), weight: 3 },
  { arbitrary: fault(fc.constantFrom<DiskCall>("read", "write"), transferFault), weight: 3 },
  { arbitrary: fc.record({ kind: fc.constantFrom("heal" as const, "empty pool" as const) }), weight: 4 },
  { arbitrary: fc.record({ kind: fc.constant("clear" as const) }), weight: 1 },
);

const blocksOf = ({ from, count }: { from: number; count: number }): number[] =>
  Array.from({ length: count }, (_, i) => (from + i) % KEYS);

/** Begins what a step does. Faults are on at once; calls of the cache go on, beside those of the steps that follow. */
async function begin(rig: DiskRig, disk: FaultyDisk, step: Step): Promise<void> {
  const { cache, manager, clock } = rig.tiering;
  switch (step.kind) {
    case "put": {
      const ns = blocksOf(step);
      await cache.put(
        ns.map(keyOf),
        ns.map((n) => rig.bytesOf(n)),
      );
      return;
    }
    case "get": {
      const ns = blocksOf(step);
      const found = await cache.get(ns.map(keyOf));
      found.forEach((block, i) => expectOwnBytes(block, rig.bytesOf(ns[i] ?? -1)));
      return;
    }
    case "fault":
      return disk.set(step.call, step.fault);
    case "heal":
      disk.clear();
      return disk.release();
    case "empty pool":
      await manager.resetCache({ deadlineS: 1 });
      return;
    case "clear":
      // Until it has ended the tier is not used, and a reset with a deadline may answer before.
      await manager.resetCache({ tiers: true, deadlineS: Infinity });
      return;
    case "wait":
      for (let i = 0; i < step.turns; i++) await nextTurn();
      return clock.advance(step.seconds);
  }
}

async function useFaultyDisk(rig: DiskRig, disk: FaultyDisk, steps: readonly Step[]): Promise<void> {
  const begun: Promise<void>[] = [];
  // A clear ends when its files are gone: it may wait for calls that hang.
  const clears: Promise<void>[] = [];
  const pending = new Set<Step>();
  for (const step of steps) {
    pending.add(step);
    const work = begin(rig, disk, step).finally(() => pending.delete(step));
    if (step.kind === "wait") await work;
    else (step.kind === "clear" ? clears : begun).push(work);
  }
  await rig.inTime(Promise.all(begun)).catch((error: unknown) => {
    throw new Error(`Not ended: ${JSON.stringify([...pending])}`, { cause: error });
  });
  disk.clear();
  disk.release();
  await rig.inTime(Promise.all(clears));
  await rig.expectQuiet();
  const ns = Array.from({ length: KEYS }, (_, i) => i);
  await rig.held(ns);
  await rig.expectRecovery([KEYS, KEYS + 1]);
}

describe.each(DISK_TIER_TYPES)("%s on a disk that fails now and then", (type) => {
  it(
    "serves no wrong byte, hangs nobody, leaves nothing pinned, and stores again when the disk is well",
    () =>
      withoutStrayRejections(() =>
        withTempFolder(async (folder) => {
          let run = 0;
          await fc.assert(
            fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 50, size: "max" }), async (steps) => {
              const disk = new FaultyDisk();
              const rig = await DiskRig.open({ type, root: `${folder}/${run++}`, disk });
              try {
                await useFaultyDisk(rig, disk, steps);
              } finally {
                disk.close();
                await rig.inTime(rig.close());
              }
            }),
            { numRuns: 10 },
          );
        }),
      ),
    TIMEOUT_MS,
  );
});
