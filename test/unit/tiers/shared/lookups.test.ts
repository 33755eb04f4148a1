import { describe, expect, it } from "@jest/globals";
import { jobOf, keyOf, openStore, request, settle, STEP } from "./fake-store.js";

describe("Look-ups of a BlockStoreTier", () => {
  it("are collected in a step and sent at its end, once per request that asked first", () => {
    const { tier } = openStore();
    expect([tier.ask(1, "a"), tier.ask(2, "a"), tier.ask(2, "b"), tier.ask(3, "b")]).toEqual(Array(4).fill("retry"));
    expect(tier.probes).toHaveLength(0);
    tier.onScheduleEnd(STEP);
    expect(tier.probes.map(({ keys, ctx }) => [ctx.reqId, keys])).toEqual([
      ["a", [keyOf(1), keyOf(2)]],
      ["b", [keyOf(3)]],
    ]);
  });

  it("share one probe, also with requests that come while it is out", async () => {
    const open = openStore();
    const { tier } = open;
    tier.ask(1, "a");
    tier.onScheduleEnd(STEP);
    expect(tier.ask(1, "b")).toBe("retry");
    tier.onScheduleEnd(STEP);
    tier.probes[0]?.answer([true]);
    await settle();
    expect([tier.ask(1, "a"), tier.ask(1, "b"), tier.ask(1, "c")]).toEqual(["hit", "hit", "hit"]);
    expect([tier.probes.length, open.notified]).toEqual([1, 1]);
  });

  it("keep a verdict while a request lives, and ask again for the next", async () => {
    const { tier } = openStore();
    tier.ask(1, "a");
    tier.onScheduleEnd(STEP);
    tier.probes[0]?.answer([false]);
    await settle();
    expect(tier.ask(1, "b")).toBe("miss");
    tier.onRequestFinished(request("a"));
    expect(tier.ask(1, "b")).toBe("miss");
    tier.onRequestFinished(request("b"));
    expect(tier.ask(1, "c")).toBe("retry");
  });

  it("are not sent for requests that finished in the same step", () => {
    const { tier } = openStore();
    tier.ask(1);
    tier.onRequestFinished(request());
    tier.onScheduleEnd(STEP);
    expect(tier.probes).toHaveLength(0);
    expect(tier.hasPendingWork()).toBe(false);
  });

  it("keep a probe that is out for newcomers when its request finishes", async () => {
    const { tier } = openStore();
    tier.ask(1, "a");
    tier.onScheduleEnd(STEP);
    tier.onRequestFinished(request("a"));
    tier.ask(1, "b");
    tier.onScheduleEnd(STEP);
    tier.probes[0]?.answer([true]);
    await settle();
    expect([tier.ask(1, "b"), tier.probes.length]).toEqual(["hit", 1]);
  });

  it("forget a probe's answer that nobody waits for", async () => {
    const { tier } = openStore();
    tier.ask(1);
    tier.onScheduleEnd(STEP);
    tier.onRequestFinished(request());
    expect(tier.hasPendingWork()).toBe(true);
    tier.probes[0]?.answer([true]);
    await settle();
    expect(tier.hasPendingWork()).toBe(false);
    expect(tier.getStats()).toMatchObject({ lookupEntries: 0, lookupsInFlight: 0 });
  });

  it("see a hit once a store has completed, whatever a probe that is out says later", async () => {
    const { tier } = openStore();
    tier.ask(1, "a");
    tier.onScheduleEnd(STEP);
    await tier.hold(1);
    expect([tier.ask(1, "a"), tier.ask(1, "b")]).toEqual(["hit", "hit"]);
    tier.probes[0]?.answer([false]);
    await settle();
    expect([tier.ask(1, "a"), tier.probes.length]).toEqual(["hit", 1]);
  });

  it("do not send a probe that a store has answered in the same step", async () => {
    const { tier } = openStore();
    tier.ask(1);
    await tier.hold(1);
    tier.onScheduleEnd(STEP);
    expect([tier.ask(1), tier.probes.length]).toEqual(["hit", 0]);
  });

  it("are a miss at their deadline, and the late answer changes nothing", async () => {
    const { tier, clock } = openStore({ deadlineS: 5 });
    tier.ask(1);
    tier.onScheduleEnd(STEP);
    clock.advance(5);
    expect(tier.ask(1)).toBe("miss");
    expect(tier.hasPendingWork()).toBe(false);
    tier.probes[0]?.answer([true]);
    await settle();
    expect(tier.ask(1)).toBe("miss");
  });

  it("are not sent into a store that never answers, until it does", async () => {
    const { tier, clock } = openStore({ concurrency: 2 });
    for (const reqId of ["a", "b"]) {
      tier.ask(reqId === "a" ? 1 : 2, reqId);
      tier.onScheduleEnd(STEP);
    }
    clock.advance(30);
    expect(tier.ask(3, "c")).toBe("miss");
    expect(tier.getStats()).toMatchObject({ stalled: 1 });
    tier.probes[0]?.answer([true]);
    await settle();
    expect(tier.ask(3, "c")).toBe("retry");
  });

  it.each([
    ["too few answers", [true]],
    ["too many answers", [true, true, true]],
    ["answers that are no booleans", [true, 1]],
    ["nothing", undefined],
  ])("that are answered with %s are misses, with a warning", async (_name, answer) => {
    const { tier, warnings } = openStore();
    tier.ask(1);
    tier.ask(2);
    tier.onScheduleEnd(STEP);
    tier.probes[0]?.answer(answer);
    await settle();
    expect([tier.ask(1), tier.ask(2)]).toEqual(["miss", "miss"]);
    expect(warnings).toHaveLength(1);
  });

  it("start afresh after a clear, and ignore what was asked before it", async () => {
    const { tier } = openStore();
    await tier.hold(1);
    tier.ask(1, "a");
    tier.onScheduleEnd(STEP);
    tier.clearAll();
    expect(tier.ask(1, "a")).toBe("retry");
    tier.probes[0]?.answer([true]);
    await settle();
    expect(tier.ask(1, "a")).toBe("retry");
    tier.onScheduleEnd(STEP);
    tier.probes[1]?.answer([false]);
    await settle();
    expect(tier.ask(1, "a")).toBe("miss");
    tier.onRequestFinished(request("a"));
    expect(tier.getStats()).toMatchObject({ lookupEntries: 0 });
  });

  it("take requests they do not know, twice", () => {
    const { tier } = openStore();
    tier.onRequestFinished(request("nobody"));
    tier.onRequestFinished(request("nobody"));
    expect(tier.ask(1)).toBe("retry");
  });
});

describe("A failed load", () => {
  it("makes its failed keys misses for all who asked, without a new probe, and leaves the others", async () => {
    const { tier } = openStore();
    await tier.hold(1);
    for (const reqId of ["a", "b"]) for (const n of [1, 2]) tier.ask(n, reqId);
    tier.onScheduleEnd(STEP);
    tier.probes[0]?.answer([true, true]);
    await settle();
    tier.submitLoad(jobOf([1, 2], [40, 41]));
    tier.endReads();
    await settle();
    expect([tier.ask(1, "a"), tier.ask(2, "a"), tier.ask(2, "b")]).toEqual(["hit", "miss", "miss"]);
    tier.onScheduleEnd(STEP);
    expect(tier.probes).toHaveLength(1);
  });

  it("makes its keys misses at the deadline too", async () => {
    const { tier, clock } = openStore();
    tier.ask(1);
    tier.onScheduleEnd(STEP);
    tier.probes[0]?.answer([true]);
    await settle();
    tier.submitLoad(jobOf([1], [40]));
    clock.advance(30);
    expect(tier.ask(1)).toBe("miss");
  });
});
