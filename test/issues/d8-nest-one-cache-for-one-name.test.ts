import { Module } from "@nestjs/common";
import { describe, expect, it, jest } from "@jest/globals";
import { SecondaryTier } from "../../src/decorators/secondary-tier.js";
import { KvTierModule } from "../../src/nest/index.js";
import { createTierContext } from "../../src/testing/create-tier-context.js";
import { HeldTier } from "../../src/testing/held-tier.js";
import { ExampleTier } from "../../src/tiers/example/example-tier.js";
import { tierToken } from "../../src/tokens.js";
import { cacheModule, nestConfig, startApp, turn } from "../support/nest-app.js";

describe("D8 in Nest: two modules that want one name", () => {
  it("do not start when two caches have no name, and say what to do", async () => {
    @Module({ imports: [cacheModule()] })
    class FirstFeature {}
    @Module({ imports: [cacheModule()] })
    class SecondFeature {}
    await expect(startApp({ imports: [FirstFeature, SecondFeature] })).rejects.toThrow(
      /^Two caches of this application are called 'default'\. Give each but one a name/,
    );
  });

  it("do not start when two caches have the same name", async () => {
    const imports = [cacheModule({ name: "draft" }), cacheModule({ name: "draft" })];
    await expect(startApp({ imports })).rejects.toMatchObject({ code: "INVALID_STATE" });
  });

  it("leave no cache open", async () => {
    const tier = Object.assign(new HeldTier(createTierContext()), { holdsDrains: false });
    const shutdown = jest.spyOn(tier, "shutdown");
    const imports = [cacheModule(), cacheModule()];
    const starting = startApp({ imports }, (app) => app.overrideProvider(tierToken("example")).useValue(tier));
    await expect(starting).rejects.toMatchObject({ code: "INVALID_STATE" });
    for (let i = 0; i < 100; i++) await turn();
    expect(shutdown).toHaveBeenCalledTimes(1);
  });

  it("are told at once, in forRoot, of two tier classes of one type, by both names", () => {
    @SecondaryTier("acme")
    class OneTier extends ExampleTier {}
    @SecondaryTier("acme")
    class OtherTier extends ExampleTier {}
    const module = (): unknown => KvTierModule.forRoot({ config: nestConfig(), tiers: [OneTier, OtherTier] });
    expect(module).toThrow(/'acme' is already registered by OneTier, so OtherTier cannot/);
  });
});
