import { describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import type { FsTierConfig } from "../../src/tiers/fs/fs-tier-config.js";
import { DEADLINE_S, withHangs } from "../support/with-hangs.js";

describe.each<[string, Partial<FsTierConfig>]>([
  ["without a bound", {}],
  ["with a bound", { maxBytes: 2 ** 22 }],
])("S13: a hung call costs its job, and not the tier, %s", (_, config) => {
  it(
    "fails the load at its deadline, and gives the slot back only when its thread can no longer write to it",
    () =>
      withHangs(async ({ rig, clock, disk }) => {
        await rig.store([1]);
        expect(await rig.verdict(1, "a")).toBe(LookupResult.Hit);
        rig.fill(9, 7);
        disk.set("read", { hang: true });
        rig.submitLoad([1], [9]);
        await disk.untilHung(1);
        clock.advance(DEADLINE_S);

        const [result] = rig.tier.getFinishedJobs();
        expect(result?.success).toBe(false);
        expect(await rig.verdict(1, "a")).toBe(LookupResult.Miss);
        let isReleased = false;
        const released = result?.blocksReleased?.finally(() => (isReleased = true));
        expect(released).toBeDefined();

        // A thread in the place of the hung one does its work meanwhile, time enough for a promise that settles too soon.
        disk.clear();
        for (const n of [2, 3, 4]) expect((await rig.store([n])).success).toBe(true);
        expect(isReleased).toBe(false);

        disk.release();
        await released;
        rig.fill(9, 8);
        await rig.load([2], [10]);
        expect(rig.slot(9)).toEqual(new Uint8Array(1000).fill(8));
      }, config),
    20_000,
  );

  it(
    "survives sixteen loads that never return, and works again once the mount does",
    () =>
      withHangs(async ({ rig, clock, disk }) => {
        const ns = Array.from({ length: 16 }, (_, i) => i);
        for (const n of ns) await rig.store([n]);
        disk.set("read", { hang: true });
        for (const n of ns) rig.submitLoad([n], [20 + n]);
        await disk.untilHung(2);
        clock.advance(DEADLINE_S);
        const results = rig.tier.getFinishedJobs();
        expect(results.map(({ success }) => success)).toEqual(ns.map(() => false));

        disk.release();
        for (const { blocksReleased } of results) await blocksReleased;
        expect((await rig.load([3], [40])).success).toBe(true);
        expect(rig.slot(40)).toEqual(rig.bytesOf(3));
      }, config),
    20_000,
  );

  it(
    "serves a load before the thousand stores that were submitted first",
    () =>
      withHangs(async ({ rig, disk }) => {
        await rig.store([1]);
        disk.set("write", { hang: true });
        const stores = Array.from({ length: 1000 }, (_, i) => rig.submitStore([100 + i], [2]));
        await disk.untilHung(1);
        expect((await rig.load([1], [9])).success).toBe(true);
        expect(rig.slot(9)).toEqual(rig.bytesOf(1));
        expect(await rig.verdict(1, "other")).toBe(LookupResult.Hit);
        expect(rig.tier.getStats()).toMatchObject({ queuedStores: 997, running: 3 });

        disk.release();
        for (const store of stores) expect((await rig.resultOf(store)).success).toBe(true);
      }, config),
    30_000,
  );
});
