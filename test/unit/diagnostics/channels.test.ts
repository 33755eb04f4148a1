import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, it, jest } from "@jest/globals";
import { CHANNELS } from "../../../src/diagnostics/channels.js";
import { COOL_DOWN_S, FAILURES_TO_OPEN } from "../../../src/tiers/remote/circuit.js";
import { listening } from "../../support/listen.js";
import { emaDetector } from "../backpressure/fixtures.js";
import { keyOf, keysOf, StepRig } from "../orchestrator/step-rig.js";
import { lookup, store } from "../tiers/remote/ask-server-tier.js";
import { openServerTier } from "../tiers/remote/fake-server-tier.js";

describe("The diagnostics channels", () => {
  it("tell of each look-up, and of the tier that has the block", () =>
    listening(["kvtier:lookup"], async (heard) => {
      const rig = new StepRig();
      await rig.seed(1);
      rig.look(2);
      rig.look(1);
      rig.step();
      rig.releaseAll();
      rig.look(1, "other");
      expect(heard["kvtier:lookup"]).toEqual([
        { requestId: "r", key: keyOf(2), result: "miss", tier: null },
        { requestId: "r", key: keyOf(1), result: "hit_pending", tier: "1:held" },
        { requestId: "other", key: keyOf(1), result: "hit", tier: "0:primary" },
      ]);
    }));

  it("tell of transfers when they end", () =>
    listening(["kvtier:cascade", "kvtier:promotion"], async (heard) => {
      const rig = new StepRig();
      rig.store("w", 1, 2);
      rig.clock.advance(3);
      expect(heard["kvtier:cascade"]).toEqual([]);
      rig.releaseAll();
      const of = { tier: "1:held", jobId: 0, requestId: "w", keys: keysOf(1, 2) };
      expect(heard["kvtier:cascade"]).toEqual([{ ...of, success: true, blocks: 2, bytes: 32, durationS: 3 }]);
      rig.finish("w");
      await rig.manager.resetCache();
      rig.lookAll("r", 1, 2);
      rig.step();
      rig.tier.release(undefined, { success: false, successfulKeys: keysOf(2) });
      rig.step();
      expect(heard["kvtier:promotion"]).toMatchObject([
        { requestId: "r", keys: keysOf(1, 2), success: false, blocks: 1, bytes: 16 },
      ]);
    }));

  it("tell of failed jobs, and of how many of their blocks", () =>
    listening(["kvtier:job-failure"], (heard) => {
      const rig = new StepRig();
      rig.store("w", 1, 2);
      rig.tier.release(undefined, { success: false });
      rig.step();
      const of = { tier: "1:held", jobId: 0, requestId: "w", keys: keysOf(1, 2) };
      expect(heard["kvtier:job-failure"]).toEqual([{ ...of, kind: "cascade", failedBlocks: 2 }]);
    }));

  it("tell of stores that a tier did not take, which are no failures", () =>
    listening(["kvtier:store-dropped", "kvtier:job-failure"], (heard) => {
      const rig = new StepRig();
      rig.store("w", 1, 2);
      rig.tier.extraResults.push({ jobId: 0, success: false, dropped: true });
      rig.step();
      expect(heard).toEqual({
        "kvtier:store-dropped": [{ tier: "1:held", blocks: 2, reason: "queue" }],
        "kvtier:job-failure": [],
      });
    }));

  it("tell of evictions from the pool", () =>
    listening(["kvtier:evict"], (heard) => {
      const rig = new StepRig({ blocks: 2, tiers: 0 });
      rig.store("w", 1, 2);
      expect(heard["kvtier:evict"]).toEqual([]);
      rig.store("w", 3, 4);
      expect(heard["kvtier:evict"]).toEqual([{ tier: "0:primary", keys: keysOf(1, 2) }]);
    }));

  it.each(["store", "promotion"])("let a subscriber store something while a %s evicts", async (cause) => {
    const rig = new StepRig({ blocks: 3 });
    await rig.seed(1);
    rig.store("w", 11, 12, 13);
    rig.releaseAll();
    const onEvict = (): void => {
      unsubscribe("kvtier:evict", onEvict);
      expect(rig.store("subscriber", 21)).toBe(true);
    };
    subscribe("kvtier:evict", onEvict);
    if (cause === "store") expect(rig.store("w", 31, 32)).toBe(true);
    else rig.look(1);
    rig.step();
    rig.releaseAll();
    rig.finish("r");
    const stored = cause === "store" ? keysOf(21, 31, 32) : keysOf(1, 21);
    expect(stored.map((key) => rig.manager.isResident(key))).toEqual(stored.map(() => true));
    expect(rig.manager.getStats().primary).toMatchObject({ residentBlocks: 3, busyBlocks: 0 });
  });

  it("tell of pressure that comes, of what it costs, and of its end", () =>
    listening(["kvtier:pressure", "kvtier:store-dropped"], async (heard) => {
      const rig = new StepRig();
      rig.tier.detector = emaDetector(rig.clock);
      rig.store("w", 1);
      rig.clock.advance(1);
      rig.releaseAll();
      rig.store("w", 2);
      expect(heard["kvtier:store-dropped"]).toEqual([{ tier: "1:held", blocks: 1, reason: "pressure" }]);
      await rig.manager.resetCache();
      const stats = { store_latency_ema: expect.any(Number) };
      expect(heard["kvtier:pressure"]).toEqual([
        { tier: "1:held", active: true, stats },
        { tier: "1:held", active: false, stats },
      ]);
    }));

  it("tell of a server that is given up, and of its return", () =>
    listening(["kvtier:breaker"], async (heard) => {
      const { tier, clock } = await openServerTier();
      tier.nameOf = () => "a:1";
      tier.states["a:1"] = "failing";
      for (let i = 0; i < FAILURES_TO_OPEN; i++) await store(tier, i);
      tier.states["a:1"] = "up";
      clock.advance(COOL_DOWN_S);
      await lookup(tier, 1, "r");
      const of = { tierType: expect.any(String), server: "a:1", message: expect.any(String) };
      expect(heard["kvtier:breaker"]).toEqual([
        { ...of, open: true },
        { ...of, open: false },
      ]);
    }));

  it("build no message for nobody", async () => {
    const published = Object.values(CHANNELS).map((channel) => jest.spyOn(channel, "publish"));
    const rig = new StepRig({ blocks: 1 });
    await rig.seed(1);
    rig.look(1);
    rig.step();
    rig.releaseAll();
    rig.finish("r");
    expect(rig.store("w", 2)).toBe(true);
    rig.tier.release(undefined, { success: false });
    rig.step();
    for (const publish of published) expect(publish).not.toHaveBeenCalled();
  });
});
