import { join } from "node:path";
import { plainToInstance } from "class-transformer";
import { describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import { keyOf, TierRig } from "../../src/testing/conformance/tier-rig.js";
import { createTierContext } from "../../src/testing/create-tier-context.js";
import { FaultyDisk } from "../../src/testing/faulty-disk.js";
import { ManualClock } from "../../src/testing/manual-clock.js";
import type { DiskIo } from "../../src/tiers/disk/disk-io.js";
import { FsTierConfig } from "../../src/tiers/fs/fs-tier-config.js";
import { FsTier } from "../../src/tiers/fs/fs-tier.js";

const DEADLINE_S = 30;
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

/** A tier over two folders, each on a disk of its own: even blocks are in the first, odd ones in the second. */
async function withTwoDisks(
  config: Partial<FsTierConfig>,
  body: (rig: TierRig, hanging: FaultyDisk, clock: ManualClock) => Promise<void>,
): Promise<void> {
  const clock = new ManualClock();
  const hanging = new FaultyDisk();
  const disks = [new FaultyDisk(), hanging];
  class OnTwoDisks extends FsTier {
    #asked = 0;

    protected override get io(): DiskIo {
      return (disks[this.#asked++] ?? hanging).io;
    }
  }
  await TierRig.use(
    (env) => {
      const rootDir = `${join(env.folder, "a")},${join(env.folder, "b")}`;
      const options = { rootDir, pathSharding: "by_block_hash", deadlineS: DEADLINE_S, ...config };
      const full = plainToInstance(FsTierConfig, options, { exposeDefaultValues: true });
      return new OnTwoDisks(createTierContext({ tierType: "fs", ...env, clock, config: full }));
    },
    async (rig) => {
      try {
        await body(rig, hanging, clock);
      } finally {
        for (const disk of disks) disk.close();
      }
    },
  );
}

describe.each<[string, Partial<FsTierConfig>]>([
  ["without a bound", {}],
  ["with a bound", { maxBytes: 2 ** 22 }],
])("S13: a folder of several that hangs, %s,", (_, config) => {
  it(
    "keeps no block of another waiting, and at its deadline no job that has blocks in both",
    () =>
      withTwoDisks(config, async (rig, hanging, clock) => {
        await rig.store(range(0, 8));
        hanging.set("read", { hang: true });
        // As many as there is room for at a time.
        const hung = [1, 3, 5, 7].map((n) => rig.submitLoad([n], [20 + n]));
        const both = rig.submitLoad([2, 1], [42, 41]);
        await hanging.untilHung(2);

        for (const n of [0, 2, 4, 6]) {
          expect(await rig.verdict(n, "a")).toBe(LookupResult.Hit);
          expect((await rig.load([n], [30 + n])).success).toBe(true);
          expect(rig.slot(30 + n)).toEqual(rig.bytesOf(n));
        }
        expect((await rig.store([10, 12, 14])).success).toBe(true);

        clock.advance(DEADLINE_S);
        const results = rig.tier
          .getFinishedJobs()
          .map(({ jobId, success, successfulKeys }) => [jobId, success, successfulKeys]);
        expect(results).toEqual([
          ...hung.map(({ jobId }) => [jobId, false, undefined]),
          [both.jobId, false, [keyOf(2)]],
        ]);
        expect((await rig.load([4], [51])).success).toBe(true);
      }),
    20_000,
  );
});
