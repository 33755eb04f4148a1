import { describe, expect, it } from "@jest/globals";
import { inject } from "inversify";
import type { TierContext } from "../../../src/contracts/tier-context.js";
import { SecondaryTier } from "../../../src/decorators/secondary-tier.js";
import { KvTierError } from "../../../src/errors/kv-tier-error.js";
import { createTierContext } from "../../../src/testing/create-tier-context.js";
import { HeldTier } from "../../../src/testing/held-tier.js";
import { TOKENS, tierToken } from "../../../src/tokens.js";
import { errorOf, testContainer } from "../../support/tiering-container.js";

const log: string[] = [];

/** Fails where its config says. */
@SecondaryTier("frail", { config: "passthrough" })
class FrailTier extends HeldTier {
  readonly #fault: string;

  constructor(@inject(TOKENS.tierContext) context: TierContext<{ fault: string }>) {
    super(context);
    this.#fault = context.config.fault;
    if (this.#fault === "constructor") throw new RangeError("Invalid array length");
  }

  override async initialize(): Promise<void> {
    log.push("initialize");
    if (this.#fault !== "none") throw cause;
  }

  override async shutdown(): Promise<void> {
    log.push("shutdown");
    if (this.#fault === "both") throw new Error("cannot close either");
  }
}

const cause = new Error("mount is gone");

describe("a tier that cannot be made", () => {
  it.each(["initialize", "both"])("is shut down when its %s fails, and the first error is the cause", async (fault) => {
    const { factory } = testContainer({ tiers: [FrailTier] });
    log.length = 0;
    const error = await errorOf(() => factory.createSecondaryTier({ type: "frail", fault }, { index: 1 }));
    expect(error).toMatchObject({ code: "TIER_INIT_FAILED", cause });
    expect(error.message).toBe("secondary_tiers[1] ('frail'): initialize failed: mount is gone");
    expect(log).toEqual(["initialize", "shutdown"]);
    await factory.close();
    expect(log).toEqual(["initialize", "shutdown"]);
  });

  it("is named when its constructor throws, also a RangeError that is no cycle", async () => {
    const { factory } = testContainer({ tiers: [FrailTier] });
    const error = await errorOf(() => factory.createSecondaryTier({ type: "frail", fault: "constructor" }));
    expect(error.message).toBe("Secondary tier 'frail': construction failed: Invalid array length");
    expect(error).toMatchObject({ code: "TIER_INIT_FAILED", cause: { name: "RangeError" } });
  });

  it("is named when something it injects is not bound", async () => {
    @SecondaryTier("needy")
    class NeedyTier extends HeldTier {
      constructor(
        @inject(TOKENS.tierContext) context: TierContext,
        @inject("nowhere") readonly gone: unknown,
      ) {
        super(context);
      }
    }
    const { factory } = testContainer({ tiers: [NeedyTier] });
    const error = await errorOf(() => factory.createSecondaryTier({ type: "needy" }));
    expect(error).toMatchObject({ code: "TIER_INIT_FAILED" });
    expect(error.message).toMatch(/^Secondary tier 'needy': construction failed: .*nowhere/s);
  });

  it("releases its values: nothing that outlives it can ask for them", async () => {
    const kept: { read?: () => unknown } = {};
    const { factory, container } = testContainer();
    container.bind(tierToken("leaky")).toDynamicValue((context) => {
      // Runs in the creation's own flow, as a timer set by a constructor would.
      kept.read = () => context.get(TOKENS.tierContext);
      return Object.assign(new HeldTier(context.get(TOKENS.tierContext)), {
        initialize: async () => {
          throw cause;
        },
      });
    });
    await errorOf(() => factory.createSecondaryTier({ type: "leaky" }));
    expect(() => kept.read?.()).toThrow(KvTierError);
  });

  it("keeps the code of a missing package, from wherever it comes", async () => {
    const missing = new KvTierError("PEER_DEPENDENCY_MISSING", "npm install ioredis");
    const { factory, container } = testContainer();
    container.rebind(tierToken("example")).toDynamicValue(() => {
      throw missing;
    });
    await expect(factory.createSecondaryTier({ type: "example" })).rejects.toBe(missing);
    const held = Object.assign(new HeldTier(createTierContext()), { initialize: () => Promise.reject(missing) });
    container.rebind(tierToken("example")).toConstantValue(held);
    await expect(factory.createSecondaryTier({ type: "example" })).rejects.toBe(missing);
  });

  it("reports a binding that delivers no tier by what is missing", async () => {
    const { factory, container } = testContainer();
    container.rebind(tierToken("example")).toConstantValue({ lookup: () => "miss", submitLoad: () => undefined });
    await expect(factory.createSecondaryTier({ type: "example" })).rejects.toMatchObject({
      code: "NOT_A_TIER",
      message:
        "Secondary tier 'example': What 'kv.tier:example' resolves to has no submitStore, getFinishedJobs, drainJobs. " +
        "It must implement SecondaryTierManager.",
    });
    container.rebind(tierToken("example")).toConstantValue(undefined);
    await expect(factory.createSecondaryTier({ type: "example" })).rejects.toMatchObject({ code: "NOT_A_TIER" });
  });

  it("refuses a backpressure block for an instance that cannot take its detector", async () => {
    const { factory, container } = testContainer();
    container.rebind(tierToken("example")).toConstantValue(Object.freeze(new HeldTier(createTierContext())));
    const backpressure = { backpressure_cls: "EMABackpressureDetector" };
    await expect(factory.createSecondaryTier({ type: "example", backpressure })).rejects.toMatchObject({
      code: "TIER_INIT_FAILED",
      message: expect.stringContaining("backpressureDetector"),
    });
  });
});
