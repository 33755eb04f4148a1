import { describe, expect, it } from "@jest/globals";
import { testContainer } from "../support/tiering-container.js";

const backpressure = (cls: string, policy?: string) => ({
  backpressure_cls: `./acme.ts#${cls}`,
  ...(policy !== undefined && { policy_cls: `./acme.ts#${policy}` }),
});

describe("F3: what does not meet its contract is refused at creation, by what is missing", () => {
  it.each([
    ["a method of the contract", "LoadlessTier", "NOT_A_TIER", "has no submitLoad, drainJobs."],
    ["a method that the base leaves to it", "UnwritableTier", "NOT_A_TIER", "has no write."],
    ["a class", "notAClass", "NOT_A_TIER", "is not a class."],
    ["a class, being a function", "arrow", "NOT_A_TIER", "is not a class."],
    [
      "the members of a tier, being a detector",
      "TallyDetector",
      "NOT_A_TIER",
      "has no lookup, submitStore, submitLoad",
    ],
    ["injection", "BareTier", "TIER_INIT_FAILED", "BareTier"],
    ["the decorator", "UndecoratedTier", "TIER_INIT_FAILED", "Decorate the class with @SecondaryTier"],
  ])("a tier without %s", async (_what, type, code, text) => {
    const { factory } = testContainer();
    const creation = factory.createSecondaryTier({ type, module_path: "./acme.ts" });
    await expect(creation).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
    factory.registerTier("registered", "./acme.ts", type);
    await expect(factory.createSecondaryTier({ type: "registered" })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(text),
    });
  });

  it.each([
    [backpressure("HalfDetector"), "NOT_A_DETECTOR", "reset"],
    [backpressure("AcmeTier"), "NOT_A_DETECTOR", "onStoreCompleted"],
    [backpressure("TallyDetector", "HalfPolicy"), "NOT_A_POLICY", "popStoresDropped"],
    [backpressure("notAClass"), "NOT_A_DETECTOR", "is not a class"],
  ])("a block with %j", async (block, code, text) => {
    const { factory } = testContainer();
    const creation = factory.createSecondaryTier({ type: "example", backpressure: block });
    await expect(creation).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
  });
});
