import { describe, expect, it } from "@jest/globals";
import { Container, ContainerModule } from "inversify";
import { SecondaryTier } from "../../src/decorators/secondary-tier.js";
import type { SecondaryTierFactory } from "../../src/factory/secondary-tier-factory.js";
import { HeldTier } from "../../src/testing/held-tier.js";
import { tierToken, TOKENS } from "../../src/tokens.js";
import { errorOf, testContainer, testModule } from "../support/tiering-container.js";

@SecondaryTier("redis")
class OneRedisTier extends HeldTier {}
@SecondaryTier("redis")
class OtherRedisTier extends HeldTier {}

describe("D8: two classes for one name", () => {
  it("are an error at once, naming both, however the second comes", () => {
    expect(() => testModule({ tiers: [OneRedisTier, OtherRedisTier] })).toThrow(
      expect.objectContaining({
        code: "TIER_ALREADY_REGISTERED",
        message: expect.stringContaining("is already registered by OneRedisTier, so OtherRedisTier cannot"),
      }),
    );
    const { factory } = testContainer({ tiers: [OneRedisTier] });
    expect(() => factory.registerTier("redis", "@acme/redis", "AcmeRedis")).toThrow(
      expect.objectContaining({
        code: "TIER_ALREADY_REGISTERED",
        message: expect.stringContaining(
          "by OneRedisTier, so export 'AcmeRedis' of module '@acme/redis' cannot register it too",
        ),
      }),
    );
  });

  it("leave the first one in place", async () => {
    const { factory } = testContainer({ tiers: [OneRedisTier] });
    await errorOf(() => factory.registerTier("redis", "@acme/redis", "AcmeRedis"));
    expect(await factory.createSecondaryTier({ type: "redis" })).toBeInstanceOf(OneRedisTier);
    expect(factory.supportedTypes()).toEqual(["example", "fs", "log", "redis"]);
  });

  it("may replace each other by rebind, and the second wins", async () => {
    const { factory, container } = testContainer({ tiers: [OneRedisTier] });
    container.rebind(tierToken("redis")).to(OtherRedisTier);
    expect(await factory.createSecondaryTier({ type: "redis" })).toBeInstanceOf(OtherRedisTier);
  });

  it("that two foreign modules bind are an error of the tier that asks, naming its token", async () => {
    const plugIn = () => new ContainerModule(({ bind }) => void bind(tierToken("foreign")).to(HeldTier));
    const { factory, container } = testContainer();
    container.load(plugIn(), plugIn());
    const error = await errorOf(() => factory.createSecondaryTier({ type: "foreign" }, { index: 4 }));
    expect(error).toMatchObject({ code: "TIER_INIT_FAILED" });
    expect(error.message).toMatch(/^secondary_tiers\[4\] \('foreign'\): .*Ambiguous.*kv\.tier:foreign/s);
  });

  it("are not what unloading brings back: it removes its own registrations, and restores nothing", async () => {
    const container = new Container();
    const module = testModule({ tiers: [OneRedisTier] });
    container.load(module);
    container.rebind(tierToken("redis")).to(OtherRedisTier);
    container.unload(module);
    expect(container.isBound(tierToken("fs"))).toBe(false);
    expect(container.isBound(tierToken("redis"))).toBe(true);
    container.load(testModule());
    const factory = container.get<SecondaryTierFactory>(TOKENS.tierFactory);
    expect(factory.supportedTypes()).toEqual(["example", "fs", "log"]);
    expect(await factory.createSecondaryTier({ type: "redis" })).toBeInstanceOf(OtherRedisTier);
  });
});
