import { describe, expect, it } from "@jest/globals";
import { COOL_DOWN_S, FAILURES_TO_OPEN } from "../../../../src/tiers/remote/circuit.js";
import { blockFault, CHECKSUM } from "../../../../src/tiers/shared/worker/block-fault.js";
import { jobOf, keyOf, request, settle, STEP } from "../shared/fake-store.js";
import { lookup, store } from "./ask-server-tier.js";
import { openServerTier, type OpenServerTier } from "./fake-server-tier.js";

/** A tier that has given up on its server, which held block 1. */
async function openBroken(): Promise<OpenServerTier> {
  const open = await openServerTier();
  await store(open.tier, 1);
  open.tier.state = "failing";
  for (let i = 0; i < FAILURES_TO_OPEN; i++) await store(open.tier, 10 + i);
  return open;
}

describe("A remote tier whose server fails", () => {
  it("opens the breaker after a row of failures, and says so once", async () => {
    const { tier, lines } = await openServerTier();
    tier.state = "failing";
    for (let i = 0; i < FAILURES_TO_OPEN - 1; i++) await store(tier, i);
    expect(tier.getStats()).toMatchObject({ breakerOpen: 0, breakerOpens: 0, storesDropped: 0 });
    await store(tier, 20);
    expect(tier.getStats()).toMatchObject({ breakerOpen: 1, breakerOpens: 1, engineFailures: FAILURES_TO_OPEN });
    const warnings = lines.filter((line) => line.message.startsWith("The server does not answer"));
    expect(warnings.map((line) => line.fields)).toEqual([
      { tier: "test", failures: FAILURES_TO_OPEN, error: "503 Slow Down" },
    ]);
  });

  it("counts look-ups that fail, though they are only misses", async () => {
    const { tier } = await openServerTier();
    tier.state = "failing";
    for (let i = 0; i < FAILURES_TO_OPEN; i++) expect(await lookup(tier, i, `r${i}`)).toBe("miss");
    expect(tier.getStats()).toMatchObject({ breakerOpen: 1 });
  });

  it("counts what is not answered in time", async () => {
    const { tier, clock } = await openServerTier();
    tier.state = "frozen";
    const jobs = Array.from({ length: FAILURES_TO_OPEN }, (_, i) => jobOf([i]));
    for (const job of jobs) tier.submitStore(job);
    clock.advance(30);
    await settle();
    expect(tier.getFinishedJobs().map((result) => result.jobId)).toEqual(jobs.map((job) => job.jobId));
    expect(tier.getStats()).toMatchObject({ breakerOpen: 1, running: 0, overdue: 0 });
  });

  it("ends look-ups that are not answered in time as misses, and lets go of them", async () => {
    const { tier, clock } = await openServerTier();
    tier.state = "frozen";
    tier.lookup(keyOf(1), request());
    tier.onScheduleEnd(STEP);
    clock.advance(29.9);
    expect(tier.lookup(keyOf(1), request())).toBe("retry");
    clock.advance(0.2);
    expect(tier.lookup(keyOf(1), request())).toBe("miss");
    await settle();
    expect(tier.getStats()).toMatchObject({ lookupsInFlight: 0, engineFailures: 1, stalled: 0 });
  });

  it("is not opened by failures that an answer comes between", async () => {
    const { tier } = await openServerTier();
    for (let i = 0; i < 3 * FAILURES_TO_OPEN; i++) {
      tier.state = i % FAILURES_TO_OPEN === 0 ? "up" : "failing";
      await store(tier, i);
    }
    expect(tier.getStats()).toMatchObject({ breakerOpens: 0 });
  });

  it("is not opened by blocks that are not there, or damaged", async () => {
    const { tier } = await openServerTier();
    for (let i = 0; i < FAILURES_TO_OPEN; i++) tier.submitLoad(jobOf([i], [40 + i]));
    await settle();
    tier.fault = blockFault(CHECKSUM, "Not what was stored.");
    for (let i = 0; i < FAILURES_TO_OPEN; i++) tier.submitLoad(jobOf([i], [40 + i]));
    await settle();
    expect(tier.getFinishedJobs().filter((result) => result.success)).toEqual([]);
    expect(tier.getStats()).toMatchObject({ breakerOpens: 0, engineFailures: 0, checksumFailures: FAILURES_TO_OPEN });
  });

  it("is not opened by its own shutdown", async () => {
    const { tier, lines } = await openServerTier();
    tier.state = "frozen";
    for (let i = 0; i < FAILURES_TO_OPEN; i++) tier.submitStore(jobOf([i]));
    await tier.shutdown();
    expect(tier.getFinishedJobs()).toHaveLength(FAILURES_TO_OPEN);
    expect(lines.filter((line) => line.message.startsWith("The server"))).toEqual([]);
  });
});

describe("A remote tier whose breaker is open", () => {
  it("misses at once, also what it has a hit for", async () => {
    const { tier } = await openServerTier();
    await store(tier, 1);
    expect(await lookup(tier, 1, "a")).toBe("hit");
    tier.state = "failing";
    for (let i = 0; i < FAILURES_TO_OPEN; i++) await store(tier, 10 + i);
    const { operations } = tier;
    expect(tier.lookup(keyOf(1), request("a"))).toBe("miss");
    expect(tier.lookup(keyOf(2), request("b"))).toBe("miss");
    tier.onScheduleEnd(STEP);
    expect(tier.hasPendingWork()).toBe(false);
    expect(tier.operations).toBe(operations);
  });

  it("drops stores and fails loads at once, and counts them", async () => {
    const { tier } = await openBroken();
    const { operations } = tier;
    const [dropped, failed] = [jobOf([2, 3]), jobOf([1], [40])];
    tier.submitStore(dropped);
    tier.submitLoad(failed);
    expect(tier.getFinishedJobs()).toMatchObject([
      { jobId: dropped.jobId, success: false, dropped: true },
      { jobId: failed.jobId, success: false },
    ]);
    expect(tier.getStats()).toMatchObject({ storesDropped: 1, blocksDropped: 2, loadFailures: 1 });
    expect(tier.operations).toBe(operations);
  });

  it("fails what was queued when it opened, each job with one result", async () => {
    const { tier } = await openServerTier();
    tier.state = "failing";
    const jobs = Array.from({ length: 50 }, (_, i) => jobOf([i]));
    for (const job of jobs) tier.submitStore(job);
    await settle();
    const results = tier.getFinishedJobs();
    expect(results.map((result) => result.jobId).sort((a, b) => a - b)).toEqual(jobs.map((job) => job.jobId));
    expect(results.filter((result) => result.success)).toEqual([]);
    expect(tier.operations).toBeLessThan(FAILURES_TO_OPEN + 8);
    expect(tier.hasPendingWork()).toBe(false);
  });

  it("lets one operation try when the cool-down is over, and closes when that is answered", async () => {
    const { tier, clock, lines } = await openBroken();
    clock.advance(COOL_DOWN_S - 0.1);
    expect(await store(tier, 2)).toMatchObject({ dropped: true });
    tier.state = "up";
    clock.advance(0.1);
    expect(await lookup(tier, 1, "new")).toBe("hit");
    expect(tier.getStats()).toMatchObject({ breakerOpen: 0, breakerOpens: 1 });
    expect(await store(tier, 2)).toMatchObject({ success: true });
    expect(lines.map((line) => line.message)).toContain("The server answers again");
  });

  it("refuses the others while one tries", async () => {
    const { tier, clock } = await openBroken();
    tier.state = "frozen";
    clock.advance(COOL_DOWN_S);
    const { operations } = tier;
    tier.submitStore(jobOf([2]));
    expect(tier.operations).toBe(operations + 1);
    expect(tier.lookup(keyOf(1), request())).toBe("miss");
    expect(await store(tier, 3)).toMatchObject({ dropped: true });
    expect(tier.getStats()).toMatchObject({ breakerOpen: 1, running: 1 });
  });

  it("stays open for another cool-down when the try fails, which is no news", async () => {
    const { tier, clock, lines } = await openBroken();
    clock.advance(COOL_DOWN_S);
    const before = lines.filter((line) => line.message.startsWith("The server")).length;
    expect(await store(tier, 2)).toMatchObject({ success: false });
    expect(await store(tier, 3)).toMatchObject({ dropped: true });
    clock.advance(COOL_DOWN_S);
    tier.state = "up";
    expect(await store(tier, 4)).toMatchObject({ success: true });
    expect(tier.getStats()).toMatchObject({ breakerOpen: 0, breakerOpens: 1 });
    expect(lines.filter((line) => line.message.startsWith("The server"))).toHaveLength(before + 1);
  });

  it("is closed by an answer that the block is not there", async () => {
    const { tier, clock } = await openBroken();
    tier.state = "up";
    clock.advance(COOL_DOWN_S);
    tier.submitLoad(jobOf([63], [40]));
    await settle();
    expect(tier.getFinishedJobs()).toMatchObject([{ success: false }]);
    expect(tier.getStats()).toMatchObject({ breakerOpen: 0 });
  });

  it("takes no notice of the clock on the wall being set", async () => {
    const { tier, clock } = await openBroken();
    const wall = Date.now;
    try {
      Date.now = () => wall() + 3_600_000;
      expect(await store(tier, 2)).toMatchObject({ dropped: true });
      Date.now = () => wall() - 3_600_000;
      tier.state = "up";
      clock.advance(COOL_DOWN_S);
      expect(await store(tier, 2)).toMatchObject({ success: true });
    } finally {
      Date.now = wall;
    }
  });
});

describe("A remote tier", () => {
  it("tells a block that was there already from one that was written", async () => {
    const { tier } = await openServerTier();
    await store(tier, 1);
    expect(await store(tier, 1)).toMatchObject({ success: true, transferBytes: 0 });
    expect(tier.getStats()).toMatchObject({ bytesWritten: 16, blocksWritten: 1, blocksAlreadyStored: 1 });
  });

  it("removes a damaged block, so that it misses and is stored anew", async () => {
    const { tier } = await openServerTier({ enableKvEvents: true });
    await store(tier, 1);
    expect(await lookup(tier, 1, "a")).toBe("hit");
    tier.fault = blockFault(CHECKSUM, "Not what was stored.");
    tier.submitLoad(jobOf([1], [40]));
    await settle();
    expect(tier.lookup(keyOf(1), request("a"))).toBe("miss");
    expect(tier.discarded).toEqual([keyOf(1)]);
    expect(tier.takeEvents().map((event) => event.removed)).toEqual([false, true]);
  });

  it("keeps no timer for what is over", async () => {
    const { tier, clock } = await openServerTier();
    await store(tier, 1);
    await lookup(tier, 1, "a");
    expect(clock.pendingTimers).toBe(0);
  });
});
