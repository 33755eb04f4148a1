import { Inject, Injectable, Module } from "@nestjs/common";
import { describe, expect, it } from "@jest/globals";
import type { KvCache } from "../../src/cache/kv-cache.js";
import type { TierContext } from "../../src/contracts/tier-context.js";
import { BackpressureDetector } from "../../src/backpressure/backpressure-detector.js";
import { Detector } from "../../src/decorators/detector.js";
import { Policy } from "../../src/decorators/policy.js";
import { SecondaryTier } from "../../src/decorators/secondary-tier.js";
import { DropStorePolicy } from "../../src/backpressure/drop-store-policy.js";
import { getKvCacheToken, KV_TIER_MODULE_OPTIONS, KvTierModule } from "../../src/nest/index.js";
import { createTierContext } from "../../src/testing/create-tier-context.js";
import { HeldTier } from "../../src/testing/held-tier.js";
import { ManualClock } from "../../src/testing/manual-clock.js";
import { ExampleTier } from "../../src/tiers/example/example-tier.js";
import { detectorToken, policyToken, tierToken, TOKENS } from "../../src/tokens.js";
import { cacheModule, nestBlock, nestConfig, nestKeys, withApp } from "../support/nest-app.js";
import { recordingLogger } from "../support/recording-logger.js";

/** A folder that cannot be made: whoever opens the real tier fails. */
const REAL_FS = { type: "fs", root_dir: "/dev/null/kv" };
const production = nestConfig([REAL_FS]);

async function storesAndLoads(cache: KvCache): Promise<boolean> {
  await cache.put(nestKeys(1), [nestBlock(7)]);
  await cache.flush();
  const [block] = await cache.get(nestKeys(1));
  return block?.[0] === 7;
}

describe("overrideProvider(tierToken(type))", () => {
  it("useClass takes a decorated tier without a constructor of its own", async () => {
    await withApp(
      { imports: [cacheModule({}, production)] },
      async (app) => expect(await storesAndLoads(app.get(getKvCacheToken()))).toBe(true),
      (app) => app.overrideProvider(tierToken("fs")).useClass(ExampleTier),
    );
  });

  it("useClass gives each tier an instance of its own, with its own context", async () => {
    const made: TierContext[] = [];
    @SecondaryTier("seen", { config: "passthrough" })
    class SeenTier extends HeldTier {
      constructor(context: TierContext) {
        super(context);
        made.push(context);
      }
    }
    const config = nestConfig([
      { type: "fs", root_dir: "/dev/null/a" },
      { type: "fs", root_dir: "/dev/null/b" },
    ]);
    await withApp(
      { imports: [cacheModule({}, config), cacheModule({ name: "draft" }, production)] },
      async () => {
        const roots = made.map((context) => (context.config as { rootDir: string }).rootDir);
        expect(roots.sort()).toEqual(["/dev/null/a", "/dev/null/b", "/dev/null/kv"]);
        expect(made.map(({ tierType }) => tierType)).toEqual(["fs", "fs", "fs"]);
      },
      (app) => app.overrideProvider(tierToken("fs")).useClass(SeenTier),
    );
  });

  it("useClass has Nest inject what else the class wants", async () => {
    @Injectable()
    class Database {
      readonly url = "memory:";
    }
    @Module({ providers: [Database], exports: [Database] })
    class DatabaseModule {}
    const urls: string[] = [];
    @Injectable()
    class DatabaseTier extends HeldTier {
      constructor(@Inject(TOKENS.tierContext) context: TierContext, @Inject(Database) database: Database) {
        super(context);
        urls.push(database.url);
      }
    }
    const module = KvTierModule.forRootAsync({
      imports: [DatabaseModule],
      useFactory: () => ({ config: production }),
    });
    await withApp(
      { imports: [module] },
      async () => expect(urls).toEqual(["memory:"]),
      (app) => app.overrideProvider(tierToken("fs")).useClass(DatabaseTier),
    );
  });

  it("useClass takes a tier that wants nothing injected at all", async () => {
    let made = 0;
    class BareTier extends HeldTier {
      constructor() {
        super(createTierContext());
        made++;
      }
    }
    await withApp(
      { imports: [cacheModule({}, nestConfig([REAL_FS, REAL_FS]))] },
      async (app) => expect(app.get<KvCache>(getKvCacheToken()).stats().tiers).toHaveLength(2),
      (app) => app.overrideProvider(tierToken("fs")).useClass(BareTier),
    );
    expect(made).toBeGreaterThanOrEqual(2);
  });

  it("useValue takes an instance", async () => {
    const tier = Object.assign(new HeldTier(createTierContext()), { holdsDrains: false });
    await withApp(
      { imports: [cacheModule({}, production)] },
      async (app) => {
        await app.get<KvCache>(getKvCacheToken()).put(nestKeys(1), [nestBlock(1)]);
        expect(tier.held).toHaveLength(1);
      },
      (app) => app.overrideProvider(tierToken("fs")).useValue(tier),
    );
  });

  it("useValue takes a class too", async () => {
    await withApp(
      { imports: [cacheModule({}, production)] },
      async (app) => expect(await storesAndLoads(app.get(getKvCacheToken()))).toBe(true),
      (app) => app.overrideProvider(tierToken("fs")).useValue(ExampleTier),
    );
  });

  it("useFactory gets the context injected, and may take its time", async () => {
    await withApp(
      { imports: [cacheModule({}, production)] },
      async (app) => expect(await storesAndLoads(app.get(getKvCacheToken()))).toBe(true),
      (app) =>
        app.overrideProvider(tierToken("fs")).useFactory({
          inject: [TOKENS.tierContext, TOKENS.tierConfig, TOKENS.tierType],
          factory: async (context: TierContext<never>, config: unknown, type: string) => {
            await new Promise(setImmediate);
            expect([config, type]).toEqual([context.config, "fs"]);
            return new ExampleTier(context);
          },
        }),
    );
  });

  it("has the last word over what configure rebinds", async () => {
    const module = cacheModule(
      {
        configure: (container) =>
          void container.rebind(tierToken("fs")).toDynamicValue(() => {
            throw new Error("not this one");
          }),
      },
      production,
    );
    await withApp(
      { imports: [module] },
      async (app) => expect(await storesAndLoads(app.get(getKvCacheToken()))).toBe(true),
      (app) => app.overrideProvider(tierToken("fs")).useClass(ExampleTier),
    );
  });

  it("replaces a tier class of the application", async () => {
    @SecondaryTier("mine")
    class MyTier extends ExampleTier {
      override initialize(): Promise<void> {
        return Promise.reject(new Error("no network in a test"));
      }
    }
    await withApp(
      { imports: [cacheModule({ tiers: [MyTier] }, nestConfig([{ type: "mine" }]))] },
      async (app) => expect(await storesAndLoads(app.get(getKvCacheToken()))).toBe(true),
      (app) => app.overrideProvider(tierToken("mine")).useClass(ExampleTier),
    );
  });

  it("leaves a tier alone whose token nobody overrides", async () => {
    await withApp({ imports: [cacheModule()] }, async (app) => {
      expect(await storesAndLoads(app.get(getKvCacheToken()))).toBe(true);
    });
  });
});

describe("overrideProvider of the other tokens", () => {
  it("replaces detectors and policies, made by Nest with their options", async () => {
    const made: unknown[] = [];
    @Detector("QuietDetector", { config: "passthrough" })
    class QuietDetector extends BackpressureDetector {
      override onStoreCompleted(): void {}
      override isUnderPressure(): boolean {
        made.push(this.policy);
        return false;
      }
      override reset(): void {}
    }
    @Policy("MyPolicy")
    class MyPolicy extends DropStorePolicy {}
    const backpressure = { backpressure_cls: "EMABackpressureDetector" };
    await withApp(
      { imports: [cacheModule({}, nestConfig([{ type: "example", backpressure }]))] },
      async (app) => {
        expect(app.get<KvCache>(getKvCacheToken()).stats().tiers[0]?.pressure).toMatchObject({ active: false });
        expect(made[0]).toBeInstanceOf(MyPolicy);
      },
      (app) =>
        app
          .overrideProvider(detectorToken("EMABackpressureDetector"))
          .useClass(QuietDetector)
          .overrideProvider(policyToken("ThrottledDropPolicy"))
          .useClass(MyPolicy),
    );
  });

  it("replaces the clock, for the deadlines of every tier", async () => {
    const clock = new ManualClock(5000);
    const contexts: TierContext[] = [];
    await withApp(
      { imports: [cacheModule({}, production)] },
      async () => expect(contexts[0]?.clock.now()).toBe(5000),
      (app) =>
        app
          .overrideProvider(TOKENS.clock)
          .useValue(clock)
          .overrideProvider(tierToken("fs"))
          .useFactory({
            inject: [TOKENS.tierContext],
            factory: (context: TierContext<never>) => {
              contexts.push(context);
              return new ExampleTier(context);
            },
          }),
    );
  });

  it("replaces the logger", async () => {
    const { logger, lines } = recordingLogger();
    const config = nestConfig([{ type: "example", enable_kv_events: true }]);
    await withApp(
      { imports: [KvTierModule.forRoot({ config })] },
      async () => {
        const [line] = lines.filter(({ level }) => level === "warn");
        expect(line?.message).toContain("enable_kv_events");
      },
      (app) => app.overrideProvider(TOKENS.logger).useValue(logger),
    );
  });

  it("replaces the importer", async () => {
    const asked: string[] = [];
    const config = nestConfig([{ type: "ExampleTier", module_path: "@acme/kv-tier" }]);
    await withApp(
      { imports: [cacheModule({}, config)] },
      async () => expect(asked).toEqual(["@acme/kv-tier"]),
      (app) =>
        app.overrideProvider(TOKENS.importer).useValue(async (specifier: string) => {
          asked.push(specifier);
          return { ExampleTier };
        }),
    );
  });

  it("replaces the options of every cache", async () => {
    await withApp(
      { imports: [cacheModule({}, production)] },
      async (app) => expect(app.get<KvCache>(getKvCacheToken()).stats().tiers).toEqual([]),
      (app) => app.overrideProvider(KV_TIER_MODULE_OPTIONS).useValue({ config: nestConfig() }),
    );
  });
});
