import { describe, expect, it } from "@jest/globals";
import type { KvCache } from "../../src/cache/kv-cache.js";
import { getKvCacheToken, KvTierModule } from "../../src/nest/index.js";
import { HeldTier } from "../../src/testing/held-tier.js";
import { createTierContext } from "../../src/testing/create-tier-context.js";
import { tierToken } from "../../src/tokens.js";
import { silentLogger } from "../../src/contracts/logger.js";
import { nestConfig, startApp, turn, withApp } from "../support/nest-app.js";

describe("D1 in Nest: a cache is opened once, and a failure is not for ever", () => {
  it("is one cache, opened once, for ten providers that want it while it is being opened", async () => {
    let opened = 0;
    const tier = Object.assign(new HeldTier(createTierContext()), {
      initialize: async (): Promise<void> => {
        opened++;
        await turn();
      },
    });
    const users = Array.from({ length: 10 }, (_, i) => ({
      provide: `user-${i}`,
      inject: [getKvCacheToken()],
      useFactory: (cache: KvCache) => ({ cache }),
    }));
    const imports = [KvTierModule.forRoot({ config: nestConfig([{ type: "example" }]), logger: silentLogger })];
    await withApp(
      { imports, providers: users },
      async (app) => {
        const caches = users.map(({ provide }) => app.get<{ cache: KvCache }>(provide).cache);
        expect([new Set(caches).size, opened]).toEqual([1, 1]);
      },
      (builder) => builder.overrideProvider(tierToken("example")).useValue(tier),
    );
  });

  it("opens with the same module once what failed is mended", async () => {
    let attempts = 0;
    const module = KvTierModule.forRootAsync({
      useFactory: async () => {
        if (++attempts === 1) throw new Error("no settings yet");
        return { config: nestConfig(), logger: silentLogger };
      },
    });
    await expect(startApp({ imports: [module] })).rejects.toThrow("no settings yet");
    await withApp({ imports: [module] }, async (app) => expect(app.get(getKvCacheToken())).toBeDefined());
  });
});
