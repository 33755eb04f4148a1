import { describe, expect, it } from "@jest/globals";
import { Container } from "inversify";
import { SecondaryTier } from "../../../src/decorators/secondary-tier.js";
import { KvTierError } from "../../../src/errors/kv-tier-error.js";
import { createTierContext } from "../../../src/testing/create-tier-context.js";
import { HeldTier } from "../../../src/testing/held-tier.js";
import { rebindTier } from "../../../src/testing/rebind-tier.js";
import { ExampleTier } from "../../../src/tiers/example/example-tier.js";
import { FsTier } from "../../../src/tiers/fs/fs-tier.js";
import { detectorToken, policyToken, tierToken } from "../../../src/tokens.js";
import { errorOf, testContainer } from "../../support/tiering-container.js";

const seen = globalThis as { acmeImports?: number };

describe("the type of a tier config", () => {
  it.each([
    [{}],
    [{ type: "" }],
    [{ type: null }],
    [{ type: 5 }],
    [{ module_path: "./acme.ts" }],
    [null],
    ["fs"],
    [[]],
  ])("is missing in %j", async (config) => {
    const { factory } = testContainer();
    for (const use of [factory.createSecondaryTier(config as never), factory.getTierClass(config as never)]) {
      await expect(use).rejects.toMatchObject({
        code: "TIER_TYPE_MISSING",
        message:
          "The tier config must include 'type', the name of the secondary tier, " +
          'such as { "type": "fs", "root_dir": "./kv" }.',
      });
    }
  });

  it("names the place of the tier", async () => {
    const { factory } = testContainer();
    const error = await errorOf(() => factory.createSecondaryTier({}, { index: 3 }));
    expect(error.message).toMatch(/^secondary_tiers\[3\] must include 'type'/);
  });

  it.each(["Mine", "constructor", "__proto__", "toString", "hasOwnProperty", "prototype"])(
    "is unknown when it is %p, and the error lists what is known",
    async (type) => {
      const { factory } = testContainer();
      factory.registerTier("acme", "./acme.ts", "AcmeTier");
      const config = JSON.parse(`{ "type": ${JSON.stringify(type)} }`) as { type: string };
      for (const use of [factory.createSecondaryTier(config), factory.getTierClass(config)]) {
        await expect(use).rejects.toMatchObject({
          code: "TIER_TYPE_UNKNOWN",
          message:
            `Unknown secondary tier type '${type}' in the tier config. Supported types: example, fs, log, obj, redis, acme. For a tier ` +
            "of your own, register it, or set 'module_path' to the module that exports a class of that name.",
        });
      }
    },
  );

  it.each(["FS", " fs", "fss"])("is unknown when it is %p, and the error says what was meant", async (type) => {
    const { factory } = testContainer();
    await expect(factory.createSecondaryTier({ type }, { index: 2 })).rejects.toMatchObject({
      code: "TIER_TYPE_UNKNOWN",
      message: expect.stringContaining(
        `Unknown secondary tier type '${type}' in secondary_tiers[2]. Did you mean fs? Supported types: example, fs, log, obj, redis.`,
      ),
    });
  });

  it("comes before any other fault", async () => {
    const { factory } = testContainer();
    const config = { type: "nope", locality: "moon", backpressure: {} };
    await expect(factory.createSecondaryTier(config)).rejects.toMatchObject({ code: "TIER_TYPE_UNKNOWN" });
  });

  it("may be a name that objects inherit, if somebody registers it", async () => {
    @SecondaryTier("constructor", { config: "passthrough" })
    class OddTier extends HeldTier {}
    const { factory } = testContainer({ tiers: [OddTier] });
    expect(await factory.getTierClass({ type: "constructor" })).toBe(OddTier);
    expect(await factory.createSecondaryTier({ type: "constructor" })).toBeInstanceOf(OddTier);
  });
});

describe("registerTier", () => {
  it("imports nothing before the type is used, and then once", async () => {
    const before = seen.acmeImports ?? 0;
    const { factory } = testContainer();
    factory.registerTier("acme", "./acme.ts", "AcmeTier");
    expect(factory.supportedTypes()).toEqual(["example", "fs", "log", "obj", "redis", "acme"]);
    expect(seen.acmeImports ?? 0).toBe(before);
    const [first, second] = await Promise.all([1, 2].map(() => factory.createSecondaryTier({ type: "acme", a: 1 })));
    expect(seen.acmeImports).toBe(1);
    const target = await factory.getTierClass({ type: "acme" });
    expect(target.name).toBe("AcmeTier");
    expect(first).toBeInstanceOf(target);
    expect(second).not.toBe(first);
    expect(first?.tierType).toBe("acme");
  });

  it("takes the export by the given name and the options by the decorator, whatever the type is called", async () => {
    const { factory } = testContainer();
    factory.registerTier("bolt", "./acme.ts", "UnwritableTier");
    factory.registerTier("nut", "./acme.ts", "fs");
    expect((await factory.createSecondaryTier({ type: "nut" })).tierType).toBe("nut");
    await expect(factory.createSecondaryTier({ type: "nut", extra: 1 })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
    });
    await expect(factory.createSecondaryTier({ type: "bolt" })).rejects.toMatchObject({
      code: "NOT_A_TIER",
      message: expect.stringMatching(
        /^Secondary tier 'bolt': export 'UnwritableTier' of module '.\/acme.ts' has no write\. It must implement BlockStoreTier\. Did you mean .*\bAcmeTier\b.*\?$/,
      ),
    });
  });

  it("refuses a name that is taken, and names both sources", () => {
    const { factory } = testContainer();
    factory.registerTier("acme", "@acme/kv-tier", "AcmeTier");
    const message = (source: string, added: string) =>
      ` is already registered by ${source}, so ${added} cannot register it too. ` +
      "Choose another name; to replace the implementation, rebind its token instead.";
    for (const [type, source] of [
      ["fs", "FsTier"],
      ["acme", "export 'AcmeTier' of module '@acme/kv-tier'"],
    ] as const) {
      expect(() => factory.registerTier(type, "./other.js", "Other")).toThrow(
        expect.objectContaining({
          code: "TIER_ALREADY_REGISTERED",
          message: `Secondary tier type '${type}'${message(source, "export 'Other' of module './other.js'")}`,
        }),
      );
    }
  });

  it("tries again after an import failed", async () => {
    let isUp = false;
    const { factory } = testContainer({
      importer: async () => {
        if (!isUp) throw new Error("no network");
        return { Late: HeldTier };
      },
    });
    factory.registerTier("late", "late", "Late");
    await expect(factory.createSecondaryTier({ type: "late" })).rejects.toMatchObject({ code: "MODULE_LOAD_FAILED" });
    isUp = true;
    await expect(factory.createSecondaryTier({ type: "late" })).resolves.toBeInstanceOf(HeldTier);
  });

  it("leaves a binding that is there to serve, by the options of the class that is registered", async () => {
    const { factory, container } = testContainer();
    container.bind(tierToken("nut")).to(HeldTier);
    factory.registerTier("nut", "./acme.ts", "fs");
    expect(await factory.createSecondaryTier({ type: "nut" })).toBeInstanceOf(HeldTier);
    await expect(factory.createSecondaryTier({ type: "nut", extra: 1 })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
    });
  });

  it("may be overridden afterwards", async () => {
    const { factory, container } = testContainer();
    factory.registerTier("nut", "./acme.ts", "fs");
    rebindTier(container, "nut", HeldTier);
    expect(await factory.createSecondaryTier({ type: "nut" })).toBeInstanceOf(HeldTier);
    expect((await factory.getTierClass({ type: "nut" })).name).toBe("fs");
  });
});

describe("a rebound token", () => {
  const backpressure = { backpressure_cls: "EMABackpressureDetector" };

  it("serves with the options of the registered class", async () => {
    const { factory, container } = testContainer();
    rebindTier(container, "fs", HeldTier);
    expect(await factory.createSecondaryTier({ type: "fs", root_dir: "./kv" })).toBeInstanceOf(HeldTier);
    await expect(factory.createSecondaryTier({ type: "fs" })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    expect(await factory.getTierClass({ type: "fs" })).toBe(FsTier);
    expect(factory.supportedTypes()).toEqual(["example", "fs", "log", "obj", "redis"]);
  });

  it("may deliver an instance, which is gated by the detector that the config asks for", async () => {
    const { factory, container } = testContainer();
    const held = new HeldTier(createTierContext());
    container.rebind(tierToken("example")).toConstantValue(held);
    const plain = await factory.createSecondaryTier({ type: "example" });
    expect(plain).toBe(held);
    expect(plain.backpressureDetector).toBeNull();
    const gated = await factory.createSecondaryTier({ type: "example", backpressure });
    expect(gated).toBe(held);
    expect(gated.backpressureDetector?.isUnderPressure()).toBe(false);
  });

  it("may wrap what it replaces, synchronously or not", async () => {
    const { factory, container } = testContainer();
    container.bind(ExampleTier).toSelf();
    container.rebind(tierToken("example")).toDynamicValue(async (context) => {
      const inner = await context.getAsync(ExampleTier);
      return new Proxy(inner, {
        get: (target, key): unknown => (key === "wrapped" ? true : Reflect.get(target, key, target)),
      });
    });
    const tier = await factory.createSecondaryTier({ type: "example", capacity_blocks: 2, backpressure });
    expect(Reflect.get(tier, "wrapped")).toBe(true);
    expect(tier.tierType).toBe("example");
    expect(tier.backpressureDetector).not.toBeNull();
  });
});

describe("a token that is bound by hand", () => {
  it("serves with its options as they are, and is no supported type", async () => {
    const { factory, container } = testContainer();
    container.bind(tierToken("mine")).toDynamicValue((context) => new HeldTier(context.get("kv.tier-context")));
    const tier = await factory.createSecondaryTier({ type: "mine", anything: ["goes"], locality: "remote" });
    expect(tier).toBeInstanceOf(HeldTier);
    expect(tier.locality).toBe("REMOTE");
    expect(factory.supportedTypes()).not.toContain("mine");
    await expect(factory.getTierClass({ type: "mine" })).rejects.toMatchObject({ code: "TIER_TYPE_UNKNOWN" });
  });

  it("comes before a module", async () => {
    const { factory, container } = testContainer();
    container.bind(tierToken("mine")).to(HeldTier);
    const config = { type: "mine", module_path: "./throws.js" };
    expect(await factory.createSecondaryTier(config)).toBeInstanceOf(HeldTier);
  });

  it("may be bound in a parent of the container", async () => {
    const parent = new Container();
    parent.bind(tierToken("mine")).to(HeldTier);
    const { factory } = testContainer({}, new Container({ parent }));
    expect(await factory.createSecondaryTier({ type: "mine" })).toBeInstanceOf(HeldTier);
  });
});

describe("getTierClass", () => {
  it("delivers the built-in classes, and looks at nothing but the type and the module", async () => {
    const { factory, container } = testContainer();
    expect(await factory.getTierClass({ type: "fs" })).toBe(FsTier);
    expect(await factory.getTierClass({ type: "example", locality: 5, nonsense: true })).toBe(ExampleTier);
    expect(container.isBound(tierToken("fs"))).toBe(true);
    expect(container.isBound(detectorToken("EMABackpressureDetector"))).toBe(true);
    expect(container.isBound(policyToken("ThrottledDropPolicy"))).toBe(true);
  });

  it("imports the module of a type that nobody registered", async () => {
    const { factory } = testContainer();
    const target = await factory.getTierClass({ type: "FreeTier", module_path: "./acme.ts" });
    expect(target.name).toBe("FreeTier");
    await expect(factory.getTierClass({ type: "notAClass", module_path: "./acme.ts" })).rejects.toBeInstanceOf(
      KvTierError,
    );
  });
});
