import { describe, expect, it } from "@jest/globals";
import { Container } from "inversify";
import { createTierContext, HeldTier, rebindTier } from "../../../src/testing/index.js";
import { ExampleTier } from "../../../src/tiers/example/example-tier.js";
import { TOKENS, tierToken } from "../../../src/tokens.js";
import { testContainer } from "../../support/tiering-container.js";

function containerWithExample(): Container {
  const container = new Container();
  container.bind(TOKENS.tierContext).toConstantValue(createTierContext());
  container.bind(tierToken("example")).to(ExampleTier);
  return container;
}

describe("rebindTier", () => {
  it("lets a class serve the type, with a new instance each time", () => {
    const container = containerWithExample();
    rebindTier(container, "example", HeldTier);
    const [first, second] = [container.get(tierToken("example")), container.get(tierToken("example"))];
    expect(first).toBeInstanceOf(HeldTier);
    expect(second).not.toBe(first);
  });

  it("lets an instance serve the type", () => {
    const container = containerWithExample();
    const held = new HeldTier(createTierContext());
    rebindTier(container, "example", held);
    expect(container.get(tierToken("example"))).toBe(held);
  });

  it("refuses a type that is not bound, and names its token", () => {
    expect(() => rebindTier(containerWithExample(), "exmaple", HeldTier)).toThrow(
      expect.objectContaining({ code: "INVALID_STATE", message: expect.stringContaining("kv.tier:exmaple") }),
    );
  });

  it("tells of the types that there are", () => {
    const { container, factory } = testContainer();
    factory.registerTier("acme", "./acme.ts", "AcmeTier");
    expect(() => rebindTier(container, "exmaple", HeldTier)).toThrow(
      "No tier is bound under kv.tier:exmaple. Did you mean example? Types of this container: example, fs, log, obj, redis, acme.",
    );
    expect(() => rebindTier(container, "nowhere", HeldTier)).toThrow(
      "No tier is bound under kv.tier:nowhere. Types of this container: example, fs, log, obj, redis, acme.",
    );
  });
});
