import { describe, expect, it } from "@jest/globals";
import { COOL_DOWN_S, FAILURES_TO_OPEN } from "../../../../src/tiers/remote/circuit.js";
import { jobOf, settle } from "../shared/fake-store.js";
import { load, lookup, store } from "./ask-server-tier.js";
import { openServerTier, type OpenServerTier } from "./fake-server-tier.js";

const DEADLINE_S = 30;
let requests = 0;

/** What a request of its own hears of block `n`: nothing that others have heard. */
async function freshLookup({ tier }: OpenServerTier, n: number): Promise<string> {
  const reqId = `fresh${++requests}`;
  const verdict = await lookup(tier, n, reqId);
  tier.onRequestFinished({ reqId });
  return verdict;
}

/** A tier with the blocks 1 and 2, whose server answers look-ups and stores, and lets loads hang. */
async function openWithHangingLoads(): Promise<OpenServerTier> {
  const open = await openServerTier();
  await store(open.tier, 1, 2);
  open.tier.states.load = "frozen";
  for (let i = 0; i < FAILURES_TO_OPEN; i++) {
    expect(await freshLookup(open, 1)).toBe("hit");
    const job = jobOf([1], [40]);
    open.tier.submitLoad(job);
    open.clock.advance(DEADLINE_S);
    await settle();
    expect(open.tier.getFinishedJobs()).toMatchObject([{ jobId: job.jobId, success: false }]);
  }
  return open;
}

describe("A remote tier whose server lets loads hang and answers look-ups", () => {
  it("misses at once after a row of loads, and goes on storing", async () => {
    const open = await openWithHangingLoads();
    const { operations } = open.tier;
    expect(await freshLookup(open, 1)).toBe("miss");
    expect(await load(open.tier, 1)).toMatchObject({ success: false });
    expect(open.tier.operations).toBe(operations);
    expect(await store(open.tier, 3)).toMatchObject({ success: true });
    expect(open.tier.getStats()).toMatchObject({
      breakerOpen: 1,
      breakerOpens: 1,
      breakerOpenLookups: 1,
      breakerOpenLoads: 1,
      breakerOpenStores: 0,
    });
    expect(open.lines.map((line) => line.message)).toContain(
      "The server fails loads: look-ups miss until one succeeds",
    );
  });

  it("tries one load when the cool-down is over, which a look-up finds, and none beside it", async () => {
    const open = await openWithHangingLoads();
    const { tier, clock } = open;
    clock.advance(COOL_DOWN_S);
    expect(await freshLookup(open, 1)).toBe("hit");
    expect(await freshLookup(open, 2)).toBe("hit");
    tier.submitLoad(jobOf([1], [40]));
    expect(await load(tier, 2)).toMatchObject({ success: false });
    expect(await freshLookup(open, 1)).toBe("miss");
    clock.advance(DEADLINE_S);
    await settle();
    expect(await freshLookup(open, 1)).toBe("miss");
    expect(tier.getStats()).toMatchObject({ breakerOpen: 1, breakerOpens: 1, running: 0 });
  });

  it("hits again once a load has succeeded", async () => {
    const open = await openWithHangingLoads();
    open.tier.states.load = "up";
    open.clock.advance(COOL_DOWN_S);
    expect(await freshLookup(open, 1)).toBe("hit");
    expect(await load(open.tier, 1)).toMatchObject({ success: true });
    expect(await freshLookup(open, 2)).toBe("hit");
    expect(open.tier.getStats()).toMatchObject({ breakerOpen: 0 });
    expect(open.lines.map((line) => line.message)).toContain("The server answers loads again");
  });
});

describe("A remote tier whose server fails stores and answers look-ups", () => {
  const openWithFailingStores = async (): Promise<OpenServerTier> => {
    const open = await openServerTier();
    await store(open.tier, 1);
    open.tier.states.store = "failing";
    for (let i = 0; i < FAILURES_TO_OPEN; i++) {
      expect(await freshLookup(open, 9)).toBe("miss");
      expect(await store(open.tier, 10 + i)).toMatchObject({ success: false });
    }
    return open;
  };

  it("drops stores, and still hits what is there", async () => {
    const open = await openWithFailingStores();
    expect(await store(open.tier, 2, 3)).toMatchObject({ success: false, dropped: true });
    expect(await freshLookup(open, 1)).toBe("hit");
    expect(await load(open.tier, 1)).toMatchObject({ success: true });
    expect(open.tier.getStats()).toMatchObject({
      breakerOpen: 1,
      breakerOpenLookups: 0,
      breakerOpenLoads: 0,
      breakerOpenStores: 1,
      blocksDropped: 2,
    });
  });

  it("is not said to have a breaker open for long when nothing is to be stored", async () => {
    const open = await openWithFailingStores();
    open.clock.advance(COOL_DOWN_S);
    expect(await freshLookup(open, 1)).toBe("hit");
    expect(open.tier.getStats()).toMatchObject({ breakerOpen: 0, breakerOpenStores: 0, breakerOpens: 1 });
    expect(await store(open.tier, 2)).toMatchObject({ success: false });
    expect(open.tier.getStats()).toMatchObject({ breakerOpen: 1, breakerOpenStores: 1, breakerOpens: 1 });
  });

  it("stores again once one has succeeded", async () => {
    const open = await openWithFailingStores();
    open.tier.states.store = "up";
    open.clock.advance(COOL_DOWN_S);
    expect(await store(open.tier, 2)).toMatchObject({ success: true });
    expect(open.tier.getStats()).toMatchObject({ breakerOpen: 0, breakerOpens: 1 });
  });
});

describe("A remote tier whose server fails look-ups and takes stores", () => {
  it("misses at once, and goes on storing and loading", async () => {
    const open = await openServerTier();
    open.tier.states.lookup = "failing";
    for (let i = 0; i < FAILURES_TO_OPEN; i++) {
      expect(await freshLookup(open, 1)).toBe("miss");
      await store(open.tier, 10 + i);
    }
    const { operations } = open.tier;
    expect(await freshLookup(open, 10)).toBe("miss");
    expect(open.tier.operations).toBe(operations);
    expect(await load(open.tier, 10)).toMatchObject({ success: true });
    expect(open.tier.getStats()).toMatchObject({ breakerOpenLookups: 1, breakerOpenLoads: 0, breakerOpenStores: 0 });
  });
});

describe("A remote tier whose server answers nothing", () => {
  it("stays away from it after a row of failures, whatever the operations, and says so once", async () => {
    const open = await openServerTier();
    await store(open.tier, 1);
    open.tier.state = "failing";
    await freshLookup(open, 1);
    await freshLookup(open, 2);
    await store(open.tier, 2);
    await load(open.tier, 1);
    expect(open.tier.getStats()).toMatchObject({ breakerOpen: 0 });
    await store(open.tier, 3);
    expect(open.tier.getStats()).toMatchObject({
      breakerOpens: 1,
      breakerOpenLookups: 1,
      breakerOpenLoads: 1,
      breakerOpenStores: 1,
    });
    expect(open.lines.filter((line) => line.message.startsWith("The server"))).toHaveLength(1);
  });

  it("hears of it at once when stores go on failing after a look-up was answered", async () => {
    const open = await openServerTier();
    open.tier.state = "failing";
    for (let i = 0; i < FAILURES_TO_OPEN; i++) await store(open.tier, i);
    open.tier.states.lookup = "up";
    open.clock.advance(COOL_DOWN_S);
    expect(await freshLookup(open, 1)).toBe("miss");
    expect(open.tier.getStats()).toMatchObject({ breakerOpen: 0 });
    await store(open.tier, 1);
    expect(open.tier.getStats()).toMatchObject({ breakerOpenStores: 1, breakerOpenLookups: 0 });
    expect(open.lines.map((line) => line.message)).toEqual(
      expect.arrayContaining([
        "The server does not answer: look-ups miss and stores are dropped until it does",
        "The server answers again",
        "The server fails stores: they are dropped until one succeeds",
      ]),
    );
  });
});
