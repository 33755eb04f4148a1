import { describe, expect, it } from "@jest/globals";
import { jobOf, openStore, request, settle, STEP } from "../unit/tiers/shared/fake-store.js";

describe("A1: one torn block is not promoted again and again", () => {
  it("is one load attempt for two live requests, then a miss for both, until it is stored again", async () => {
    const { tier } = openStore();
    for (const reqId of ["a", "b"]) expect(tier.ask(1, reqId)).toBe("retry");
    tier.onScheduleEnd(STEP);
    tier.probes[0]?.answer([true]);
    await settle();
    expect(tier.ask(1, "a")).toBe("hit");

    let loads = 0;
    const poll = async (reqId: string): Promise<string> => {
      const verdict = tier.ask(1, reqId);
      if (verdict === "hit") {
        loads++;
        tier.submitLoad(jobOf([1], [40], reqId));
        tier.endReads();
      }
      tier.onScheduleEnd(STEP);
      await settle();
      return verdict;
    };
    await poll("a");
    for (let i = 0; i < 100; i++) expect([await poll("a"), await poll("b")]).toEqual(["miss", "miss"]);
    expect([loads, tier.probes.length]).toEqual([1, 1]);

    await tier.hold(1);
    expect([tier.ask(1, "a"), tier.ask(1, "c")]).toEqual(["hit", "hit"]);
    expect(tier.probes).toHaveLength(1);
  });

  it("is probed afresh for a request that comes when the others are gone", async () => {
    const { tier } = openStore();
    tier.ask(1, "a");
    tier.onScheduleEnd(STEP);
    tier.probes[0]?.answer([true]);
    await settle();
    tier.submitLoad(jobOf([1], [40], "a"));
    tier.endReads();
    await settle();
    tier.onRequestFinished(request("a"));
    expect(tier.ask(1, "b")).toBe("retry");
  });
});
