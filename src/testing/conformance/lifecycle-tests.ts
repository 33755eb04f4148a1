import { LookupResult } from "../../contracts/lookup-result.js";
import type { OffloadingEvent } from "../../contracts/offloading-event.js";
import type { SuitePart } from "./suite-part.js";
import { keyOf } from "./tier-rig.js";

const storedKeys = (events: readonly OffloadingEvent[]): unknown[] =>
  events.filter((event) => !event.removed).flatMap((event) => event.keys);

export const lifecycleTests: SuitePart = (test, expect) => {
  test("drains to the end, and leaves the results to be collected", async (rig) => {
    const job = rig.submitStore([1, 2, 3, 4]);
    expect(await rig.tier.drainJobs()).toEqual({ unfinished: [] });
    expect((await rig.resultOf(job)).success).toBe(true);
  });

  test("names the jobs that a drain left behind at its deadline, and ends them all the same", async (rig) => {
    const jobs = [rig.submitStore([1, 2]), rig.submitStore([3, 4])];
    const ids = jobs.map((job) => job.jobId);
    const { unfinished } = await rig.tier.drainJobs({ deadlineS: 0 });
    expect(unfinished.filter((id) => !ids.includes(id))).toEqual([]);
    expect(await rig.tier.drainJobs()).toEqual({ unfinished: [] });
    for (const job of jobs) await rig.resultOf(job);
  });

  test("records events for whole stores only, and hands each over once", async (rig) => {
    await rig.store([1, 2]);
    const events = rig.tier.takeEvents();
    const stored = storedKeys(events);
    // A tier need not record events; those it records are of these two.
    if (stored.length > 0) expect(stored).toEqual([keyOf(1), keyOf(2)]);
    for (const { medium } of events) expect(typeof medium).toBe("string");
    expect(rig.tier.takeEvents()).toEqual([]);
    await rig.load([1, 3], [9, 10]);
    expect(storedKeys(rig.tier.takeEvents())).toEqual([]);
  });

  test("has figures that reading does not change", async (rig) => {
    await rig.store([1]);
    const figures = rig.tier.getStats();
    expect(rig.tier.getStats()).toEqual(figures);
    expect(Object.values(figures).filter((figure) => !Number.isFinite(figure))).toEqual([]);
  });

  test("misses what was stored before a clear, if it can clear at all", async (rig) => {
    if (rig.tier.clear === undefined) return;
    await rig.store([1]);
    expect(await rig.verdict(1, "a")).toBe(LookupResult.Hit);
    await rig.tier.clear();
    expect(await rig.verdict(1, "a")).toBe(LookupResult.Miss);
    expect((await rig.load([1], [9])).success).toBe(false);
    await rig.store([1]);
    expect(await rig.verdict(1, "b")).toBe(LookupResult.Hit);
  });

  test("misses what was removed, and nothing else, if it can remove at all", async (rig) => {
    if (rig.tier.remove === undefined) return;
    await rig.store([1, 2]);
    expect(await rig.verdict(1, "a")).toBe(LookupResult.Hit);
    await rig.tier.remove([keyOf(1), keyOf(3)]);
    expect([await rig.verdict(1, "a"), await rig.verdict(2, "a")]).toEqual([LookupResult.Miss, LookupResult.Hit]);
    expect((await rig.load([1], [9])).success).toBe(false);
    expect((await rig.load([2], [10])).success).toBe(true);
    expect(rig.faultOf(2, 10)).toBe(null);
    await rig.store([1]);
    expect(await rig.verdict(1, "b")).toBe(LookupResult.Hit);
  });

  test("ends every job that is out at shutdown in one result", async (rig) => {
    const jobs = [rig.submitStore([1, 2]), rig.submitStore([3]), rig.submitLoad([1], [9])];
    await rig.tier.shutdown();
    for (const job of jobs) await rig.resultOf(job);
  });

  test("fails what is submitted after shutdown, and shuts down once", async (rig) => {
    await rig.store([1]);
    await rig.tier.shutdown();
    await rig.tier.shutdown();
    expect((await rig.store([2])).success).toBe(false);
    expect((await rig.load([1], [9])).success).toBe(false);
    expect(await rig.verdict(1, "late")).toBe(LookupResult.Miss);
  });
};
