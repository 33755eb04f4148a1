import { describe, expect, it } from "@jest/globals";
import { Container } from "inversify";
import { createTiering } from "../../src/cache/create-tiering.js";
import { silentLogger } from "../../src/contracts/logger.js";
import type { SecondaryTierManager } from "../../src/contracts/secondary-tier-manager.js";
import type { TierContext } from "../../src/contracts/tier-context.js";
import { createTestSpec } from "../../src/testing/create-test-spec.js";
import { HeldTier } from "../../src/testing/held-tier.js";
import { ManualClock } from "../../src/testing/manual-clock.js";
import { ExampleTier } from "../../src/tiers/example/example-tier.js";
import { tierToken, TOKENS } from "../../src/tokens.js";
import { testContainer, testModule } from "../support/tiering-container.js";

const contextOf = (tier: SecondaryTierManager): TierContext => Reflect.get(tier, "context") as TierContext;

describe("D7: rebinding after something was made", () => {
  it("leaves a tier as it was made, and shows in the next one", async () => {
    const { factory, container, clock } = testContainer();
    const before = await factory.createSecondaryTier({ type: "example" });
    const newClock = new ManualClock();
    const newSpec = createTestSpec({ specName: "new" });
    container.rebind(TOKENS.clock).toConstantValue(newClock);
    container.rebind(TOKENS.offloadingSpec).toConstantValue(newSpec);
    const after = await factory.createSecondaryTier({ type: "example" });
    expect(contextOf(before).clock).toBe(clock);
    expect(contextOf(before).offloadingSpec).not.toBe(newSpec);
    expect(contextOf(after).clock).toBe(newClock);
    expect(contextOf(after).offloadingSpec).toBe(newSpec);
    expect(container.get(TOKENS.tierFactory)).toBe(factory);
  });

  it("leaves a running manager alone; a second cache, in another container, has the new value", async () => {
    const config = {
      cpu_bytes_to_use: 128,
      block_bytes: 32,
      model: { name: "llama", dtype: "float16", tokens_per_block: 2 },
    };
    const first = await createTiering(config, { logger: silentLogger });
    first.container.rebind(TOKENS.offloadingSpec).toConstantValue(createTestSpec({ specName: "new" }));
    expect(first.container.get(TOKENS.tieringManager)).toBe(first.manager);
    const second = await createTiering({ ...config, block_bytes: 64 }, { logger: silentLogger });
    expect(second.container.get(TOKENS.offloadingSpec)).toMatchObject({ blockBytes: 64 });
    expect(second.manager).not.toBe(first.manager);
    await Promise.all([first.close(), second.close()]);
  });

  it("needs no bindings twice in a test: the same module makes a fresh container", async () => {
    const module = testModule();
    const fresh = () => {
      const container = new Container();
      container.load(module);
      return container;
    };
    const changed = fresh();
    changed.rebind(tierToken("example")).to(HeldTier);
    const create = (container: Container) =>
      container.get<{ createSecondaryTier(config: object): Promise<unknown> }>(TOKENS.tierFactory).createSecondaryTier({
        type: "example",
      });
    expect(await create(changed)).toBeInstanceOf(HeldTier);
    expect(await create(fresh())).toBeInstanceOf(ExampleTier);
  });
});
