import { inspect } from "node:util";
import { describe, expect, it } from "@jest/globals";
import { createTestTiering } from "../../src/testing/create-test-tiering.js";
import { SecondaryTier } from "../../src/decorators/secondary-tier.js";
import { ExampleTier } from "../../src/tiers/example/example-tier.js";
import { ObjTierConfig } from "../../src/tiers/obj/obj-tier-config.js";
import { RedisTierConfig } from "../../src/tiers/redis/redis-tier-config.js";
import { TOKENS } from "../../src/tokens.js";
import type { SecondaryTierFactory } from "../../src/factory/secondary-tier-factory.js";

const obj = {
  store_config: {
    bucket: "bucket",
    endpoint_override: "127.0.0.1:9000",
    access_key: "AKIA",
    secret_key: "hunter2-key",
    session_token: "hunter2-session",
  },
};

// F5: a config that is printed, as one does to see why a tier does not work, shows what opens the store.
describe("A tier that is printed", () => {
  it.each([
    ["redis with a URL", RedisTierConfig, { url: "redis://user:hunter2-url@host" }],
    ["redis", RedisTierConfig, { url: "redis://host", password: "hunter2-password" }],
    ["obj", ObjTierConfig, obj],
  ])("shows no secret of %s", async (_, config, options) => {
    @SecondaryTier("printed", { config })
    class PrintedTier extends ExampleTier {}
    const { container, close } = await createTestTiering(undefined, { tiers: [PrintedTier] });
    const factory = container.get<SecondaryTierFactory>(TOKENS.tierFactory);
    const tier = await factory.createSecondaryTier({ type: "printed", ...options });
    const { context } = tier as unknown as { context: { config: object } };
    const printed = [
      inspect(tier, { depth: Infinity }),
      inspect(context.config, { depth: Infinity }),
      ...Object.values(context.config).map((value: unknown) => (typeof value === "object" ? inspect(value) : "")),
      JSON.stringify(context.config),
    ].join("\n");
    expect(printed).not.toContain("hunter2");
    expect(printed).toContain("[redacted]");
    await tier.shutdown();
    await close();
  });
});
