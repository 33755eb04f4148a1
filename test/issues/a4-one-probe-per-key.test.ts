import { describe, expect, it } from "@jest/globals";
import { openStore, request, settle, STEP } from "../unit/tiers/shared/fake-store.js";

describe("A4: one probe per key, kept while a live request uses it", () => {
  it("is one batch call for 50 requests, and no state after the last finish", async () => {
    const { tier } = openStore();
    for (let i = 0; i < 50; i++) tier.ask(1, `r${i}`);
    tier.onScheduleEnd(STEP);
    expect(tier.probes).toHaveLength(1);
    tier.probes[0]?.answer([true]);
    await settle();
    for (let i = 0; i < 49; i++) tier.onRequestFinished(request(`r${i}`));
    expect(tier.getStats()).toMatchObject({ lookupEntries: 1 });
    expect(tier.ask(1, "r49")).toBe("hit");
    tier.onRequestFinished(request("r49"));
    expect(tier.getStats()).toMatchObject({ lookupEntries: 0 });
    expect(tier.hasPendingWork()).toBe(false);
  });

  it("is a miss when the batch throws, and the next batch works", async () => {
    const { tier, warnings } = openStore();
    tier.ask(1);
    tier.ask(2);
    tier.exists = () => {
      throw new Error("no such host");
    };
    tier.onScheduleEnd(STEP);
    await settle();
    expect([tier.ask(1), tier.ask(2)]).toEqual(["miss", "miss"]);
    expect(warnings).toHaveLength(1);

    tier.exists = async (keys) => keys.map(() => true);
    tier.ask(3);
    tier.onScheduleEnd(STEP);
    await settle();
    expect(tier.ask(3)).toBe("hit");
  });

  it("is free of state after a probe that failed while its request finished", async () => {
    const { tier } = openStore();
    tier.exists = async () => Promise.reject(new Error("reset"));
    tier.ask(1);
    tier.onScheduleEnd(STEP);
    tier.onRequestFinished(request());
    await settle();
    expect(tier.getStats()).toMatchObject({ lookupEntries: 0, lookupsInFlight: 0 });
  });
});
