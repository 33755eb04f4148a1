import { HealthCheckService, TerminusModule } from "@nestjs/terminus";
import type { TestingModule } from "@nestjs/testing";
import { describe, expect, it } from "@jest/globals";
import type { KvCache } from "../../src/cache/kv-cache.js";
import type { TierFigures } from "../../src/contracts/secondary-tier-manager.js";
import { BackpressureDetector } from "../../src/backpressure/backpressure-detector.js";
import { Detector } from "../../src/decorators/detector.js";
import { getKvCacheToken, KvTierHealthIndicator } from "../../src/nest/index.js";
import { createTierContext } from "../../src/testing/create-tier-context.js";
import { HeldTier } from "../../src/testing/held-tier.js";
import { tierToken } from "../../src/tokens.js";
import { cacheModule, nestConfig, startApp, withApp } from "../support/nest-app.js";

class ToldTier extends HeldTier {
  told: TierFigures = {};
  constructor() {
    super(createTierContext());
  }
  override getStats(): TierFigures {
    return this.told;
  }
}

let isPressured = false;

@Detector("ToldDetector")
class ToldDetector extends BackpressureDetector {
  override onStoreCompleted(): void {}
  override reset(): void {}
  override isUnderPressure(): boolean {
    return isPressured;
  }
}

const backpressure = { backpressure_cls: "ToldDetector" };
const module = (): ReturnType<typeof cacheModule> =>
  cacheModule(
    { detectors: [ToldDetector] },
    nestConfig([
      { type: "example", backpressure },
      { type: "fs", root_dir: "x" },
    ]),
  );

async function withTold(body: (app: TestingModule, tier: ToldTier) => Promise<void>): Promise<void> {
  const tier = new ToldTier();
  isPressured = false;
  await withApp(
    { imports: [module(), TerminusModule] },
    (app) => body(app, tier),
    (builder) =>
      builder
        .overrideProvider(tierToken("fs"))
        .useValue(tier)
        .overrideProvider(tierToken("example"))
        .useFactory({ factory: () => new ToldTier() }),
  );
}

const check = (app: TestingModule): ReturnType<HealthCheckService["check"]> =>
  app.get(HealthCheckService, { strict: false }).check([() => app.get(KvTierHealthIndicator).check("kv")]);

describe("KvTierHealthIndicator", () => {
  it("says that all is well", async () => {
    await withTold(async (app) => {
      expect(await check(app)).toMatchObject({
        status: "ok",
        details: {
          kv: { status: "up", degraded: [], tiers: { "1:example": { status: "up" }, "2:fs": { status: "up" } } },
        },
      });
    });
  });

  it.each([
    ["its circuit breaker is open", { breakerOpen: 1 }],
    ["all that it has running hangs", { stalled: 1 }],
  ])("has a tier degraded in the details when %s, and readiness up", async (_why, figures) => {
    await withTold(async (app, tier) => {
      tier.told = figures;
      expect(await check(app)).toMatchObject({
        status: "ok",
        error: {},
        details: {
          kv: { status: "up", degraded: ["2:fs"], tiers: { "2:fs": { status: "degraded", reason: "down" } } },
        },
      });
      tier.told = { breakerOpen: 0, stalled: 0 };
      expect(await check(app)).toMatchObject({ details: { kv: { degraded: [] } } });
    });
  });

  it("has a tier degraded in the details while it is under pressure, and readiness up", async () => {
    await withTold(async (app) => {
      isPressured = true;
      expect(await check(app)).toMatchObject({
        status: "ok",
        details: {
          kv: {
            status: "up",
            degraded: ["1:example"],
            tiers: { "1:example": { status: "degraded", reason: "pressure" } },
          },
        },
      });
    });
  });

  it("is down while the application closes, so that nobody sends requests any more", async () => {
    const app = await startApp({ imports: [cacheModule()] });
    const indicator = app.get(KvTierHealthIndicator);
    expect(indicator.check("kv").kv.status).toBe("up");
    await app.close();
    expect(indicator.check("kv").kv.status).toBe("down");
  });

  it("tells of the cache that it is asked for", async () => {
    const draft = cacheModule({ name: "draft" }, nestConfig());
    await withApp({ imports: [cacheModule(), draft] }, async (app) => {
      const indicator = app.get(KvTierHealthIndicator);
      expect(Object.keys(indicator.check("kv").kv.tiers)).toEqual(["1:example"]);
      expect(indicator.check("kv-draft", "draft")).toEqual({ "kv-draft": { status: "up", degraded: [], tiers: {} } });
    });
  });

  it("names the caches there are when it is asked for another", async () => {
    await withApp({ imports: [cacheModule(), cacheModule({ name: "draft" })] }, async (app) => {
      const ask = (): unknown => app.get(KvTierHealthIndicator).check("kv", "target");
      expect(ask).toThrow("No cache of this application is called 'target'. Its caches: default, draft.");
      expect(app.get<KvCache>(getKvCacheToken("draft"))).toBeDefined();
    });
  });
});
