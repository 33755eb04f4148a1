import { writeFile } from "node:fs/promises";
import path from "node:path";
import { Inject, Injectable, Module } from "@nestjs/common";
import { ConfigModule, ConfigService, registerAs } from "@nestjs/config";
import { describe, expect, it } from "@jest/globals";
import { Container } from "inversify";
import { KvCache } from "../../src/cache/kv-cache.js";
import type { TierContext } from "../../src/contracts/tier-context.js";
import { SecondaryTier } from "../../src/decorators/secondary-tier.js";
import {
  getKvCacheToken,
  getTieringManagerToken,
  InjectKvCache,
  InjectTieringManager,
  KvTierModule,
  type KvTierModuleOptions,
  type KvTierOptionsFactory,
} from "../../src/nest/index.js";
import { TieringOffloadingManager } from "../../src/orchestrator/tiering-offloading-manager.js";
import { rebindTier } from "../../src/testing/rebind-tier.js";
import { ExampleTier } from "../../src/tiers/example/example-tier.js";
import { TOKENS } from "../../src/tokens.js";
import { cacheModule, nestBlock, nestConfig, nestKeys, startApp, withApp } from "../support/nest-app.js";
import { withTempFolder } from "../support/temp-folder.js";

@Injectable()
class Prompts {
  readonly cache: KvCache;
  readonly manager: TieringOffloadingManager;
  constructor(@InjectKvCache() cache: KvCache, @InjectTieringManager() manager: TieringOffloadingManager) {
    this.cache = cache;
    this.manager = manager;
  }
}

@Injectable()
class DraftPrompts {
  readonly cache: KvCache;
  constructor(@InjectKvCache("draft") cache: KvCache) {
    this.cache = cache;
  }
}

const example = { config: nestConfig([{ type: "example" }]) };

@Injectable()
class OptionsFactory implements KvTierOptionsFactory {
  createKvTierOptions(): KvTierModuleOptions {
    return example;
  }
}

@Module({ providers: [OptionsFactory], exports: [OptionsFactory] })
class OptionsModule {}

describe("KvTierModule", () => {
  it("injects the cache and its manager, open and ready", async () => {
    await withApp({ imports: [cacheModule()], providers: [Prompts] }, async (app) => {
      const { cache, manager } = app.get(Prompts);
      expect(await cache.put(nestKeys(1), [nestBlock(0)])).toBe(1);
      expect(cache.stats()).toEqual(manager.getStats());
      expect(cache).toBeInstanceOf(KvCache);
      expect(manager).toBeInstanceOf(TieringOffloadingManager);
    });
  });

  it.each([
    ["useFactory", KvTierModule.forRootAsync({ useFactory: async () => example })],
    ["useClass", KvTierModule.forRootAsync({ useClass: OptionsFactory })],
    ["useExisting", KvTierModule.forRootAsync({ imports: [OptionsModule], useExisting: OptionsFactory })],
    [
      "useFactory with what it injects",
      KvTierModule.forRootAsync({
        imports: [OptionsModule],
        inject: [OptionsFactory],
        useFactory: (options: OptionsFactory) => options.createKvTierOptions(),
      }),
    ],
  ])("takes its options from %s", async (_how, module) => {
    await withApp({ imports: [module], providers: [Prompts] }, async (app) => {
      expect(app.get(Prompts).cache.stats().tiers).toMatchObject([{ label: "1:example" }]);
    });
  });

  it("takes its options from a namespace of @nestjs/config", async () => {
    const kv = registerAs("kv", (): KvTierModuleOptions => example);
    const imports = [ConfigModule.forRoot({ load: [kv] }), KvTierModule.forRootAsync(kv.asProvider())];
    await withApp({ imports, providers: [Prompts] }, async (app) => {
      expect(app.get(Prompts).cache.stats().tiers).toHaveLength(1);
    });
  });

  it("takes its options from the ConfigService", async () => {
    const module = KvTierModule.forRootAsync({
      imports: [ConfigModule.forRoot({ load: [() => ({ kv: nestConfig([], 7) })] })],
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({ config: config.getOrThrow<KvTierModuleOptions["config"]>("kv") }),
    });
    await withApp({ imports: [module], providers: [Prompts] }, async (app) => {
      expect(app.get(Prompts).cache.stats().primary.capacityBlocks).toBe(7);
    });
  });

  it("reads its config from a file with comments", async () => {
    await withTempFolder(async (folder) => {
      const config = path.join(folder, "kvtier.jsonc");
      await writeFile(config, `// the tiers\n${JSON.stringify(nestConfig([], 5))}`);
      await withApp({ imports: [cacheModule({ config })], providers: [Prompts] }, async (app) => {
        expect(app.get(Prompts).cache.stats().primary.capacityBlocks).toBe(5);
      });
    });
  });

  it("does not start without the file of its config, and says which", async () => {
    const starting = startApp({ imports: [cacheModule({ config: "not/there.jsonc" })] });
    await expect(starting).rejects.toThrow(/not\/there\.jsonc: cannot be read: ENOENT/);
    await expect(starting).rejects.toMatchObject({ code: "CONFIG_INVALID", problems: [{ path: "not/there.jsonc" }] });
  });

  it("does not start with a wrong config, and says all that is wrong", async () => {
    const config = { ...nestConfig([{ type: "fs", root_dirr: "/kv" }]), eviction_policy: "last" as "lru" };
    const starting = startApp({ imports: [cacheModule({}, config)] });
    await expect(starting).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      problems: [
        { path: "eviction_policy" },
        { path: "secondary_tiers[0].root_dirr" },
        { path: "secondary_tiers[0].root_dir" },
      ],
    });
  });

  it("has classes of the application beside the factory of the options", async () => {
    @SecondaryTier("mine")
    class MyTier extends ExampleTier {}
    const module = KvTierModule.forRootAsync({
      tiers: [MyTier],
      useFactory: () => ({ config: nestConfig([{ type: "mine" }]) }),
    });
    await withApp({ imports: [module], providers: [Prompts] }, async (app) => {
      expect(app.get(Prompts).cache.stats().tiers).toMatchObject([{ label: "1:mine" }]);
    });
  });

  it("says where classes belong when they come out of the factory", async () => {
    @SecondaryTier("mine")
    class MyTier extends ExampleTier {}
    const options = { config: nestConfig([{ type: "mine" }]), tiers: [MyTier] };
    const starting = startApp({ imports: [KvTierModule.forRootAsync({ useFactory: () => options })] });
    await expect(starting).rejects.toThrow(/returned tiers.*beside/);
  });

  it("lets configure rebind before any tier is made", async () => {
    const made: string[] = [];
    @SecondaryTier("other")
    class OtherTier extends ExampleTier {
      constructor(context: TierContext) {
        super(context as ConstructorParameters<typeof ExampleTier>[0]);
        made.push(context.tierType);
      }
    }
    const module = cacheModule({ configure: (container) => rebindTier(container, "example", OtherTier) });
    await withApp({ imports: [module] }, async () => {
      expect(made).toEqual(["example"]);
    });
  });

  it("hands configure what the application injects, for its tiers", async () => {
    @SecondaryTier("greeting")
    class GreetingTier extends ExampleTier {
      @Inject("never of Nest") readonly unused?: unknown;
    }
    const container = new Container();
    const module = KvTierModule.forRootAsync({
      tiers: [GreetingTier],
      imports: [OptionsModule],
      inject: [OptionsFactory],
      useFactory: (factory: OptionsFactory) => ({
        config: nestConfig([{ type: "greeting" }]),
        container,
        configure: (bound) => void bound.bind("app.options").toConstantValue(factory),
      }),
    });
    await withApp({ imports: [module] }, async (app) => {
      expect(container.get("app.options")).toBe(app.get(OptionsFactory, { strict: false }));
      expect(container.get(TOKENS.kvCache)).toBe(app.get(getKvCacheToken()));
    });
  });
});

describe("Several caches in one application", () => {
  it("are injected by name, each with its config", async () => {
    const draft = cacheModule({ name: "draft" }, nestConfig([], 3));
    await withApp({ imports: [cacheModule(), draft], providers: [Prompts, DraftPrompts] }, async (app) => {
      const [cache, other] = [app.get(Prompts).cache, app.get(DraftPrompts).cache];
      expect(other).not.toBe(cache);
      expect([cache, other].map((it) => it.stats().primary.capacityBlocks)).toEqual([16, 3]);
      expect(app.get<TieringOffloadingManager>(getTieringManagerToken("draft"))).not.toBe(app.get(Prompts).manager);
    });
  });

  it("fail at the start where one is asked for that is not there, by its name", async () => {
    const starting = startApp({ imports: [cacheModule()], providers: [DraftPrompts] });
    await expect(starting).rejects.toThrow(/DraftPrompts.*kv\.cache:draft/s);
  });

  it("call the one without a name `default`", () => {
    expect([getKvCacheToken(), getKvCacheToken("default"), getKvCacheToken("draft")]).toEqual([
      "kv.cache",
      "kv.cache",
      "kv.cache:draft",
    ]);
    expect([getTieringManagerToken(), getTieringManagerToken("draft")]).toEqual([
      "kv.tiering-manager",
      "kv.tiering-manager:draft",
    ]);
  });

  it("are one and the same where one module is imported twice", async () => {
    const shared = cacheModule();
    @Module({ imports: [shared], providers: [Prompts], exports: [Prompts] })
    class Feature {}
    await withApp({ imports: [Feature, shared] }, async (app) => {
      expect(app.get(Prompts).cache).toBe(app.get(getKvCacheToken()));
    });
  });
});

describe("A cache in a feature module", () => {
  @Module({ providers: [Prompts] })
  class Feature {}

  it("is there without an import when it is global", async () => {
    await withApp({ imports: [cacheModule({ isGlobal: true }), Feature] }, async (app) => {
      expect(app.get(Prompts, { strict: false }).cache).toBeInstanceOf(KvCache);
    });
  });

  it("is not when it is not", async () => {
    await expect(startApp({ imports: [cacheModule(), Feature] })).rejects.toThrow(/Prompts.*kv\.cache/s);
  });
});
