import { describe, expect, it } from "@jest/globals";
import { COOL_DOWN_S, FAILURES_TO_OPEN } from "../../../../src/tiers/remote/circuit.js";
import { keyOf } from "../shared/fake-store.js";
import { load, lookup, store } from "./ask-server-tier.js";
import { openServerTier, type OpenServerTier } from "./fake-server-tier.js";

/** Even blocks are on the server `a`, odd ones on `b`, which has failed until it was given up. Both hold four. */
async function openWithDeadB(): Promise<OpenServerTier> {
  const open = await openServerTier();
  const { tier } = open;
  const odd = new Set([1, 3, 5, 7, 9, 11].map(keyOf));
  tier.nameOf = (key) => (odd.has(key) ? "b" : "a");
  await store(tier, 0, 1, 2, 3, 4, 5, 6, 7);
  tier.states.b = "failing";
  // What the other server answers in between is no answer of this one.
  for (let i = 0; i < FAILURES_TO_OPEN; i++) {
    await store(tier, 9);
    await store(tier, 8);
  }
  return open;
}

describe("A remote tier with a server of several that fails", () => {
  it("misses its blocks at once, and hits those of the others", async () => {
    const { tier } = await openWithDeadB();
    const { operations } = tier;
    expect(await lookup(tier, 1, "r")).toBe("miss");
    expect(tier.operations).toBe(operations);
    expect(await lookup(tier, 2, "r")).toBe("hit");
    expect(await load(tier, 2)).toMatchObject({ success: true });
  });

  it("says which, in its figures and in the log", async () => {
    const { tier, lines, clock } = await openWithDeadB();
    expect(tier.getStats()).toMatchObject({ breakerOpen: 1, breakerOpenStores: 1, "breakerOpen:b": 1 });
    expect(tier.getStats()).not.toHaveProperty("breakerOpen:a");
    tier.states.b = "up";
    clock.advance(COOL_DOWN_S);
    await lookup(tier, 1, "r");
    expect(tier.getStats()).not.toHaveProperty("breakerOpen:b");
    expect(
      lines
        .filter((line) => line.message.startsWith("The server"))
        .map((line) => [line.message.slice(0, 25), line.fields?.server]),
    ).toEqual([
      ["The server does not answe", "b"],
      ["The server answers again", "b"],
    ]);
  });

  it("drops a store of blocks that are all on it", async () => {
    const { tier } = await openWithDeadB();
    const before = tier.getStats();
    expect(await store(tier, 9, 11)).toMatchObject({ success: false, dropped: true });
    expect(tier.getStats()).toMatchObject({
      storesDropped: (before.storesDropped ?? 0) + 1,
      blocksDropped: (before.blocksDropped ?? 0) + 2,
    });
  });

  it("stores what it can of a job, and counts the rest as dropped", async () => {
    const { tier } = await openWithDeadB();
    const { operations } = tier;
    const before = tier.getStats();
    const result = await store(tier, 9, 10, 11, 12);
    expect([result.success, result.dropped]).toEqual([false, undefined]);
    expect(tier.operations).toBe(operations + 2);
    expect(await lookup(tier, 10, "r")).toBe("hit");
    expect(tier.getStats()).toMatchObject({ blocksDropped: (before.blocksDropped ?? 0) + 2 });
  });

  it("loads what it can of a job", async () => {
    const { tier } = await openWithDeadB();
    expect(await load(tier, 1, 2)).toMatchObject({ success: false, successfulKeys: [keyOf(2)] });
  });

  it("forgets it once it has no blocks any more", async () => {
    const { tier } = await openWithDeadB();
    tier.nameOf = () => "a";
    tier.failOver(["a"]);
    expect(tier.getStats()).toMatchObject({ breakerOpen: 0, breakerOpens: 1 });
    expect(await lookup(tier, 1, "r")).toBe("hit");
  });

  it("gives up each for itself", async () => {
    const { tier, clock } = await openWithDeadB();
    clock.advance(COOL_DOWN_S - 1);
    tier.states.a = "failing";
    for (let i = 0; i < FAILURES_TO_OPEN; i++) await store(tier, 8);
    expect(tier.getStats()).toMatchObject({ breakerOpen: 2, breakerOpens: 2 });
    tier.states.b = "up";
    clock.advance(1);
    expect(await store(tier, 9)).toMatchObject({ success: true });
    expect(await store(tier, 8)).toMatchObject({ dropped: true });
  });
});
