import { describe, expect, it } from "@jest/globals";
import { KvCache } from "../../src/cache/kv-cache.js";
import { getKvCacheToken } from "../../src/nest/index.js";
import { createTierContext } from "../../src/testing/create-tier-context.js";
import { HeldTier } from "../../src/testing/held-tier.js";
import { tierToken } from "../../src/tokens.js";
import { cacheModule, nestConfig, startApp } from "../support/nest-app.js";

describe("D6 in Nest: one instance under two tokens", () => {
  it("is one cache under its class and its string token when one is an alias of the other, and closes once", async () => {
    let closed = 0;
    const tier = Object.assign(new HeldTier(createTierContext()), { shutdown: async () => void closed++ });
    const alias = { provide: KvCache, useExisting: getKvCacheToken() };
    const app = await startApp({ imports: [cacheModule()], providers: [alias] }, (builder) =>
      builder.overrideProvider(tierToken("example")).useValue(tier),
    );
    expect(app.get(KvCache)).toBe(app.get(getKvCacheToken()));
    await app.close();
    expect(closed).toBe(1);
  });

  it("is one tier, opened and closed once, where one value stands for two tiers", async () => {
    const calls: string[] = [];
    const tier = Object.assign(new HeldTier(createTierContext()), {
      initialize: async () => void calls.push("initialize"),
      shutdown: async () => void calls.push("shutdown"),
    });
    const config = nestConfig([{ type: "example" }, { type: "example" }]);
    const app = await startApp({ imports: [cacheModule({}, config)] }, (builder) =>
      builder.overrideProvider(tierToken("example")).useValue(tier),
    );
    await app.close();
    expect(calls).toEqual(["initialize", "shutdown"]);
  });
});
