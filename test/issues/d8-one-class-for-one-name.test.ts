import { describe, expect, it } from "@jest/globals";
import { Container, ContainerModule } from "inversify";
import { SecondaryTier } from "../../src/decorators/secondary-tier.js";
import type { SecondaryTierFactory } from "../../src/factory/secondary-tier-factory.js";
import { HeldTier } from "../../src/testing/held-tier.js";
import { tierToken, TOKENS } from "../../src/tokens.js";
import { errorOf, testContainer, testModule } from "../support/tiering-container.js";

@SecondaryTier("acme")
class OneAcmeTier extends HeldTier {}
@SecondaryTier("acme")
class OtherAcmeTier extends HeldTier {}

describe("D8: two classes for one name", () => {
  it("are an error at once, naming both, however the second comes", () => {
    expect(() => testModule({ tiers: [OneAcmeTier, OtherAcmeTier] })).toThrow(
      expect.objectContaining({
        code: "TIER_ALREADY_REGISTERED",
        message: expect.stringContaining("is already registered by OneAcmeTier, so OtherAcmeTier cannot"),
      }),
    );
    const { factory } = testContainer({ tiers: [OneAcmeTier] });
    expect(() => factory.registerTier("acme", "@acme/kv-tier", "LateTier")).toThrow(
      expect.objectContaining({
        code: "TIER_ALREADY_REGISTERED",
        message: expect.stringContaining(
          "by OneAcmeTier, so export 'LateTier' of module '@acme/kv-tier' cannot register it too",
        ),
      }),
    );
  });

  it("leave the first one in place", async () => {
    const { factory } = testContainer({ tiers: [OneAcmeTier] });
    await errorOf(() => factory.registerTier("acme", "@acme/kv-tier", "LateTier"));
    expect(await factory.createSecondaryTier({ type: "acme" })).toBeInstanceOf(OneAcmeTier);
    expect(factory.supportedTypes()).toEqual(["example", "fs", "log", "obj", "redis", "acme"]);
  });

  it("may replace each other by rebind, and the second wins", async () => {
    const { factory, container } = testContainer({ tiers: [OneAcmeTier] });
    container.rebind(tierToken("acme")).to(OtherAcmeTier);
    expect(await factory.createSecondaryTier({ type: "acme" })).toBeInstanceOf(OtherAcmeTier);
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
    const module = testModule({ tiers: [OneAcmeTier] });
    container.load(module);
    container.rebind(tierToken("acme")).to(OtherAcmeTier);
    container.unload(module);
    expect(container.isBound(tierToken("fs"))).toBe(false);
    expect(container.isBound(tierToken("acme"))).toBe(true);
    container.load(testModule());
    const factory = container.get<SecondaryTierFactory>(TOKENS.tierFactory);
    expect(factory.supportedTypes()).toEqual(["example", "fs", "log", "obj", "redis"]);
    expect(await factory.createSecondaryTier({ type: "acme" })).toBeInstanceOf(OtherAcmeTier);
  });
});
