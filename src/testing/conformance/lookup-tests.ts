import { LookupResult } from "../../contracts/lookup-result.js";
import { OffloadPolicy } from "../../contracts/offload-policy.js";
import type { SuitePart } from "./suite-part.js";
import { keyOf } from "./tier-rig.js";

export const lookupTests: SuitePart = (test, expect) => {
  test("misses a block that was never stored", async (rig) => {
    await rig.store([1]);
    expect(await rig.verdict(2, "a")).toBe(LookupResult.Miss);
  });

  test("hits a block that was stored", async (rig) => {
    await rig.store([1]);
    expect(await rig.verdict(1, "a")).toBe(LookupResult.Hit);
  });

  test("hits after a store, also for a request that was told of a miss before", async (rig) => {
    expect(await rig.verdict(1, "a")).toBe(LookupResult.Miss);
    await rig.store([1]);
    expect(await rig.verdict(1, "a")).toBe(LookupResult.Hit);
    expect(await rig.verdict(1, "b")).toBe(LookupResult.Hit);
  });

  test("does not hit a block whose load has failed", async (rig) => {
    await rig.load([1], [9]);
    expect(await rig.verdict(1, "a")).toBe(LookupResult.Miss);
    rig.tier.onRequestFinished({ reqId: "a" });
    expect(await rig.verdict(1, "b")).toBe(LookupResult.Miss);
  });

  test("answers in three ways only", async (rig) => {
    const answers: readonly string[] = [LookupResult.Hit, LookupResult.Miss, LookupResult.Retry];
    for (let n = 0; n < 5; n++) expect(answers.includes(rig.tier.lookup(keyOf(n), { reqId: "a" }))).toBe(true);
  });

  test("takes requests that were never announced, and finishes those it does not know", async (rig) => {
    rig.tier.onRequestFinished({ reqId: "nobody" });
    expect(await rig.verdict(1, "unannounced")).toBe(LookupResult.Miss);
    rig.tier.onRequestFinished({ reqId: "unannounced" });
    rig.tier.onRequestFinished({ reqId: "unannounced" });
    expect(await rig.verdict(1, "unannounced")).toBe(LookupResult.Miss);
  });

  test("answers a new request with a policy", async (rig) => {
    const policies: readonly string[] = Object.values(OffloadPolicy);
    expect(policies.includes(rig.tier.onNewRequest({ reqId: "a" }).policy)).toBe(true);
  });

  test("has nothing pending once all requests are finished and all results collected", async (rig) => {
    await rig.store([1, 2, 3]);
    for (let i = 0; i < 50; i++) rig.tier.lookup(keyOf(i % 5), { reqId: `r${i}` });
    await rig.step();
    for (let i = 0; i < 50; i++) rig.tier.onRequestFinished({ reqId: `r${i}` });
    await rig.untilIdle();
    expect(rig.tier.hasPendingWork()).toBe(false);
  });
};
