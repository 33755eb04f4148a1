import { forwardRef, Inject, Injectable, Module } from "@nestjs/common";
import { describe, expect, it } from "@jest/globals";
import type { KvCache } from "../../src/cache/kv-cache.js";
import { getKvCacheToken, getTieringManagerToken, InjectKvCache, KvTierModule } from "../../src/nest/index.js";
import { ExampleTier } from "../../src/tiers/example/example-tier.js";
import type { TierContext } from "../../src/contracts/tier-context.js";
import { tierToken, TOKENS } from "../../src/tokens.js";
import { cacheModule, nestConfig, startApp, withApp } from "../support/nest-app.js";

@Injectable()
class Prompts {
  constructor(@InjectKvCache() readonly cache: KvCache) {}
}

/** Such as a module of the application that is global, with a service over the cache. */
@Module({ providers: [Prompts], exports: [Prompts] })
class PromptsModule {}

const acyclic = async (): Promise<void> =>
  withApp({ imports: [cacheModule()] }, async (app) => expect(app.get(getKvCacheToken())).toBeDefined());

describe("D9 in Nest: a tier that has injected what is made from the tiers", () => {
  it.each([getKvCacheToken(), getTieringManagerToken()])(
    "is told of the cycle through %s, by both names",
    async (token) => {
      const starting = startApp({ imports: [cacheModule()] }, (builder) =>
        builder.overrideProvider(tierToken("example")).useFactory({ inject: [token], factory: () => null }),
      );
      await expect(starting).rejects.toMatchObject({ code: "TIER_INIT_FAILED", cause: { code: "INVALID_STATE" } });
      await expect(starting).rejects.toThrow(`kv.tier:example → ${token} → kv.app-cache → kv.tier:example is a cycle`);
      await acyclic();
    },
  );

  it("is told of a cycle through a service of another module, and by a property", async () => {
    class PromptTier extends ExampleTier {
      @Inject(forwardRef(() => Prompts)) readonly prompts?: Prompts;
    }
    const cache = KvTierModule.forRootAsync({
      isGlobal: true,
      imports: [forwardRef(() => PromptsModule) as never],
      useFactory: () => ({ config: nestConfig([{ type: "example" }]) }),
    });
    const starting = startApp({ imports: [cache] }, (builder) =>
      builder.overrideProvider(tierToken("example")).useClass(PromptTier),
    );
    await expect(starting).rejects.toThrow(
      "kv.tier:example → Prompts → kv.cache → kv.app-cache → kv.tier:example is a cycle",
    );
    await acyclic();
  });

  it("may have another cache injected", async () => {
    const first = cacheModule({ name: "first" });
    const second = KvTierModule.forRootAsync({
      imports: [first],
      useFactory: () => ({ config: nestConfig([{ type: "fs", root_dir: "/dev/null/kv" }]) }),
    });
    await withApp(
      { imports: [second] },
      async (app) => expect(app.get<KvCache>(getKvCacheToken()).stats().tiers).toHaveLength(1),
      (builder) =>
        builder.overrideProvider(tierToken("fs")).useFactory({
          inject: [TOKENS.tierContext, getKvCacheToken("first")],
          factory: (context: TierContext<never>, cache: KvCache) => Object.assign(new ExampleTier(context), { cache }),
        }),
    );
  });
});
