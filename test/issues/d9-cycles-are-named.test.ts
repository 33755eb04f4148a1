import { describe, expect, it } from "@jest/globals";
import { createTiering } from "../../src/cache/create-tiering.js";
import { silentLogger } from "../../src/contracts/logger.js";
import { HeldTier } from "../../src/testing/held-tier.js";
import { ExampleTier } from "../../src/tiers/example/example-tier.js";
import { tierToken, TOKENS } from "../../src/tokens.js";
import { errorOf, testContainer } from "../support/tiering-container.js";

const config = {
  cpu_bytes_to_use: 128,
  block_bytes: 32,
  model: { name: "llama", dtype: "float16", tokens_per_block: 2 },
  secondary_tiers: [{ type: "example" }],
};

describe("D9: a tier that asks for what is made from the tiers", () => {
  it.each([TOKENS.tieringManager, TOKENS.kvCache])("is told of the cycle through %s, by both names", async (token) => {
    const error = await errorOf(() =>
      createTiering(config, {
        logger: silentLogger,
        configure: (container) =>
          void container.rebind(tierToken("example")).toDynamicValue((context) => context.get(token)),
      }),
    );
    expect(error).toMatchObject({ code: "TIER_INIT_FAILED", cause: { code: "INVALID_STATE" } });
    expect(error.message).toContain(`kv.tier:example → ${token} → kv.tier:example is a cycle.`);
    expect(error.message).toContain("secondary_tiers[0] ('example')");
  });

  it("is told of it also without createTiering, and the same factory goes on once the cycle is undone", async () => {
    const { factory, container } = testContainer();
    container.rebind(tierToken("example")).toDynamicValue(async (context) => {
      await Promise.resolve();
      return context.getAsync(TOKENS.tieringManager);
    });
    const error = await errorOf(() => factory.createSecondaryTier({ type: "example" }));
    expect(error.message).toContain("kv.tier:example → kv.tiering-manager → kv.tier:example is a cycle.");
    container.rebind(tierToken("example")).to(ExampleTier);
    expect(await factory.createSecondaryTier({ type: "example" })).toBeInstanceOf(ExampleTier);
  });

  it("is told of a cycle in initialize as well", async () => {
    const { factory, container } = testContainer();
    container.rebind(tierToken("example")).toDynamicValue((context) => {
      const initialize = () => factory.createSecondaryTier({ type: "example" });
      return Object.assign(new HeldTier(context.get(TOKENS.tierContext)), { initialize });
    });
    const error = await errorOf(() => factory.createSecondaryTier({ type: "example" }));
    expect(error).toMatchObject({ code: "TIER_INIT_FAILED" });
    expect(error.message).toContain("kv.tier:example → kv.tier:example →");
  });

  it("is told of a cycle through the factory, which would have no end", async () => {
    const { factory, container } = testContainer();
    let asked = 0;
    container.rebind(tierToken("example")).toDynamicValue(() => {
      asked++;
      return factory.createSecondaryTier({ type: "example" });
    });
    const error = await errorOf(() => factory.createSecondaryTier({ type: "example" }));
    expect(error).toMatchObject({ code: "TIER_INIT_FAILED" });
    expect(error.message).toContain("kv.tier:example → kv.tier:example →");
    expect(asked).toBeLessThan(20);
  });

  it.each([
    ["the engine's error", new RangeError("Maximum call stack size exceeded")],
    ["inversify's", new Error("Circular dependency found: (No dependency trace)")],
  ])("is named where a cycle of foreign bindings ends in %s, which names nobody", async (_whose, cause) => {
    const { factory, container } = testContainer();
    container.rebind(tierToken("example")).toDynamicValue(() => {
      throw cause;
    });
    const error = await errorOf(() => factory.createSecondaryTier({ type: "example" }));
    expect(error).toMatchObject({ code: "TIER_INIT_FAILED", cause: { code: "INVALID_STATE" } });
    expect(error.message).toContain("'kv.tier:example' asks for 'kv.tier:example' again");
    expect(error.message).toContain(TOKENS.tieringManager);
  });

  it("is told by inversify itself where classes depend on each other", async () => {
    const { factory, container } = testContainer();
    container.rebind(tierToken("example")).toService("chicken");
    container.bind("chicken").toService(tierToken("example"));
    const error = await errorOf(() => factory.createSecondaryTier({ type: "example" }));
    expect(error).toMatchObject({ code: "TIER_INIT_FAILED" });
    expect(error.message).toContain("kv.tier:example");
    expect(error.message).not.toMatch(/^RangeError/);
  });
});
