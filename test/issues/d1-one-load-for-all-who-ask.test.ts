import { describe, expect, it } from "@jest/globals";
import { HeldTier } from "../../src/testing/held-tier.js";
import { createTierContext } from "../../src/testing/create-tier-context.js";
import { tierToken } from "../../src/tokens.js";
import { testContainer } from "../support/tiering-container.js";

describe("D1: what is loaded or made asynchronously is made once, and a failure is not for ever", () => {
  it("imports the module of a registered type once for ten creations at once", async () => {
    let imports = 0;
    const { factory } = testContainer({
      importer: async () => {
        imports++;
        await new Promise(setImmediate);
        return { Late: HeldTier };
      },
    });
    factory.registerTier("late", "late-module", "Late");
    const config = { type: "late" };
    const tiers = await Promise.all(Array.from({ length: 10 }, () => factory.createSecondaryTier(config)));
    expect(imports).toBe(1);
    expect(new Set(tiers).size).toBe(10);
  });

  it("tries the import again after it failed, for all who ask then", async () => {
    let imports = 0;
    const { factory } = testContainer({
      importer: async () => {
        if (++imports === 1) throw new Error("no network");
        return { Late: HeldTier };
      },
    });
    factory.registerTier("late", "late-module", "Late");
    const create = () => factory.createSecondaryTier({ type: "late" });
    const first = await Promise.allSettled([create(), create(), create()]);
    expect(first.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    const second = await Promise.allSettled([create(), create(), create()]);
    expect(second.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
    expect(imports).toBe(2);
  });

  it("delivers one instance of an asynchronous singleton, opened once, to ten creations at once", async () => {
    let made = 0;
    let opened = 0;
    const { factory, container } = testContainer();
    container
      .rebind(tierToken("example"))
      .toDynamicValue(async () => {
        made++;
        await new Promise(setImmediate);
        return Object.assign(new HeldTier(createTierContext()), { initialize: async () => void opened++ });
      })
      .inSingletonScope();
    const create = () => factory.createSecondaryTier({ type: "example" });
    const tiers = await Promise.all(Array.from({ length: 10 }, create));
    expect([made, opened, new Set(tiers).size]).toEqual([1, 1, 1]);
  });

  it("creates again after a binding rejected once", async () => {
    let asked = 0;
    const { factory, container } = testContainer();
    container.rebind(tierToken("example")).toDynamicValue(async (context) => {
      if (++asked === 1) throw new Error("not yet");
      return new HeldTier(context.get("kv.tier-context"));
    });
    await expect(factory.createSecondaryTier({ type: "example" })).rejects.toMatchObject({ code: "TIER_INIT_FAILED" });
    await expect(factory.createSecondaryTier({ type: "example" })).resolves.toBeInstanceOf(HeldTier);
  });
});
