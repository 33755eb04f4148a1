import { describe, expect, it } from "@jest/globals";
import { Locality, Medium } from "../../../src/contracts/medium.js";
import { TierFilter } from "../../../src/contracts/tier-filter.js";
import { keyOf, keysOf, request, StepRig } from "./step-rig.js";

describe("TieringOffloadingManager.lookup", () => {
  it("finds a block in the pool without asking any tier", () => {
    const rig = new StepRig();
    rig.store("r", 1);
    expect(rig.look(1)).toBe("hit");
    expect(rig.tier.lookups).toBe(0);
  });

  it("waits for a block that somebody is writing, without asking any tier", () => {
    const rig = new StepRig();
    rig.prepare("w", 1);
    expect(rig.look(1)).toBe("hit_pending");
    expect(rig.tier.lookups).toBe(0);
  });

  it("promotes from the first tier that has the block: pending, then a hit with its bytes", async () => {
    const rig = new StepRig({ tiers: 2 });
    await rig.seed(1);
    expect(rig.look(1)).toBe("hit_pending");
    expect(rig.tiers.map((tier) => tier.loads)).toEqual([[], []]);
    rig.step();
    expect(rig.tiers.map((tier) => tier.loads)).toEqual([[keysOf(1)], []]);
    expect(rig.look(1)).toBe("hit_pending");
    rig.releaseAll();
    expect(rig.look(1)).toBe("hit");
    rig.read("r", 1);
    expect(rig.manager.sourceOf(keyOf(1), request())).toBe("1:held");
  });

  it("has one promotion for a key, however often and by whomever it is asked for", async () => {
    const rig = new StepRig();
    await rig.seed(1);
    for (const reqId of ["a", "b", "a"]) expect(rig.look(1, reqId)).toBe("hit_pending");
    rig.step();
    for (let i = 0; i < 3; i++) {
      rig.look(1, "c");
      rig.step();
    }
    expect(rig.tier.loads).toEqual([keysOf(1)]);
  });

  it("batches the promotions of a step, one job for each tier and request, in the order they were asked for", async () => {
    const rig = new StepRig();
    await rig.seed(1, 2, 3, 4);
    rig.lookAll("a", 2, 1);
    rig.lookAll("b", 1, 4);
    rig.look(3, "a");
    rig.step();
    expect(rig.tier.loads).toEqual([keysOf(2, 1, 3), keysOf(4)]);
  });

  it("takes a tier's HitPending for a miss, and goes on to the next tier", async () => {
    const rig = new StepRig({ tiers: 2 });
    await rig.seed(1);
    rig.tier.answer = "hit_pending";
    rig.look(1);
    rig.step();
    expect(rig.tiers.map((tier) => tier.loads)).toEqual([[], [keysOf(1)]]);
  });

  it("is Retry when no tier has the block and one does not know yet, but a hit further on counts", async () => {
    const rig = new StepRig({ tiers: 2 });
    await rig.seed(1);
    rig.tier.answer = "retry";
    expect(rig.lookAll("r", 2, 1)).toEqual(["retry", "hit_pending"]);
    rig.tier.answer = "miss";
    expect(rig.look(2)).toBe("miss");
  });

  it("skips the tiers that the request's filter excludes, and never the pool", async () => {
    const rig = new StepRig();
    await rig.seed(1);
    const none = request("r", { loadTierFilter: new TierFilter([]) });
    const storage = request("s", { loadTierFilter: new TierFilter([{ medium: Medium.Storage }]) });
    const local = request("t", { loadTierFilter: new TierFilter([{ locality: Locality.Local }]) });
    expect(rig.manager.lookup(keyOf(1), none)).toBe("miss");
    expect(rig.manager.lookup(keyOf(1), storage)).toBe("miss");
    expect(rig.tier.lookups).toBe(0);
    expect(rig.manager.lookup(keyOf(1), local)).toBe("hit_pending");
    rig.step();
    rig.releaseAll();
    expect(rig.manager.lookup(keyOf(1), none)).toBe("hit");
  });

  it("does not try later tiers when the pool has no room for a hit", async () => {
    const rig = new StepRig({ tiers: 2, blocks: 1 });
    await rig.seed(1);
    rig.prepare("w", 2);
    const before = rig.tiers.map((tier) => tier.lookups);
    expect(rig.look(1)).toBe("miss");
    expect(rig.tiers.map((tier, i) => tier.lookups - (before[i] ?? 0))).toEqual([1, 0]);
    expect(rig.manager.getStats().primary.promotionAllocationFailures).toBe(1);
  });

  it("counts one query and one hit, however often a request polls", async () => {
    const rig = new StepRig();
    await rig.seed(1);
    for (let i = 0; i < 10; i++) {
      rig.look(1);
      rig.step();
    }
    const { primary, tiers } = rig.manager.getStats();
    expect([primary.queries, primary.hits]).toEqual([1, 0]);
    expect([tiers[0]?.queries, tiers[0]?.hits]).toEqual([1, 1]);
  });

  it("takes a tier that throws for one that does not have the block, and says so", async () => {
    const rig = new StepRig({ tiers: 2 });
    await rig.seed(1);
    rig.tier.lookup = () => {
      throw new Error("boom");
    };
    expect(rig.look(1)).toBe("hit_pending");
    expect(rig.log).toMatchObject([{ level: "error", message: expect.stringContaining("Tier 1:held: lookup threw") }]);
  });
});
