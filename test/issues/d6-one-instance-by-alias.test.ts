import { describe, expect, it } from "@jest/globals";
import { SecondaryTier } from "../../src/decorators/secondary-tier.js";
import { SecondaryTierFactory } from "../../src/factory/secondary-tier-factory.js";
import { HeldTier } from "../../src/testing/held-tier.js";
import { tierToken, TOKENS } from "../../src/tokens.js";
import { testContainer } from "../support/tiering-container.js";

const log: string[] = [];

@SecondaryTier("logged")
class LoggedTier extends HeldTier {
  override async initialize(): Promise<void> {
    log.push("initialize");
  }

  override async shutdown(): Promise<void> {
    log.push("shutdown");
  }
}

describe("D6: a class bound under two identifiers", () => {
  it("is one instance when the token is an alias of the class binding, and is shut down once", async () => {
    log.length = 0;
    const { factory, container } = testContainer({ tiers: [LoggedTier] });
    container.bind(LoggedTier).toSelf().inSingletonScope();
    container.rebind(tierToken("logged")).toService(LoggedTier);
    const first = await factory.createSecondaryTier({ type: "logged" });
    expect(container.get(LoggedTier)).toBe(first);
    expect(container.get(tierToken("logged"))).toBe(first);
    expect(await factory.createSecondaryTier({ type: "logged" })).toBe(first);
    await factory.close();
    await factory.close();
    expect(log).toEqual(["initialize", "shutdown"]);
  });

  it("is a tier of its own for each creation when the class binding is transient", async () => {
    const { factory, container } = testContainer({ tiers: [LoggedTier] });
    container.bind(LoggedTier).toSelf();
    container.rebind(tierToken("logged")).toService(LoggedTier);
    const [first, second] = [1, 2].map(() => factory.createSecondaryTier({ type: "logged" }));
    expect(await first).not.toBe(await second);
  });

  it("holds for the factory itself", () => {
    const { factory, container } = testContainer();
    expect(container.get(SecondaryTierFactory)).toBe(factory);
    expect(container.get(TOKENS.tierFactory)).toBe(factory);
  });
});
