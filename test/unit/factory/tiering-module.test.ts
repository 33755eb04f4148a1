import { describe, expect, it } from "@jest/globals";
import { Container } from "inversify";
import { systemClock } from "../../../src/contracts/clock.js";
import { consoleLogger, silentLogger } from "../../../src/contracts/logger.js";
import { Detector } from "../../../src/decorators/detector.js";
import { Policy } from "../../../src/decorators/policy.js";
import { SecondaryTier } from "../../../src/decorators/secondary-tier.js";
import { EMABackpressureDetector } from "../../../src/backpressure/ema-backpressure-detector.js";
import { DropStorePolicy } from "../../../src/backpressure/drop-store-policy.js";
import { OffloadingSpecFactory } from "../../../src/factory/offloading-spec-factory.js";
import { parseTieringConfig } from "../../../src/factory/parse-tiering-config.js";
import { SecondaryTierFactory } from "../../../src/factory/secondary-tier-factory.js";
import { tieringModule } from "../../../src/factory/tiering-module.js";
import { PrimaryKvView } from "../../../src/primary/primary-kv-view.js";
import { createTestSpec } from "../../../src/testing/create-test-spec.js";
import { HeldTier } from "../../../src/testing/held-tier.js";
import { ManualClock } from "../../../src/testing/manual-clock.js";
import { ExampleTier } from "../../../src/tiers/example/example-tier.js";
import { tierToken, TOKENS } from "../../../src/tokens.js";
import { testContainer, testModule } from "../../support/tiering-container.js";

const required = () => {
  const offloadingSpec = createTestSpec();
  const { numBlocks, blockBytes } = offloadingSpec;
  return { primaryKvView: PrimaryKvView.allocate(numBlocks, blockBytes), offloadingSpec };
};

describe("tieringModule", () => {
  it("binds the ports it is given, and the process's own otherwise", () => {
    const given = required();
    const container = new Container();
    container.load(tieringModule(given));
    expect(container.get(TOKENS.primaryKvView)).toBe(given.primaryKvView);
    expect(container.get(TOKENS.offloadingSpec)).toBe(given.offloadingSpec);
    expect(container.get(TOKENS.clock)).toBe(systemClock);
    expect(container.get(TOKENS.logger)).toBe(consoleLogger);
    expect(container.get(TOKENS.importer)).toBeInstanceOf(Function);
  });

  it("keeps ports that the container binds already, unless it is given one", () => {
    const clock = new ManualClock();
    const container = new Container();
    container.bind(TOKENS.clock).toConstantValue(clock);
    container.bind(TOKENS.logger).toConstantValue(consoleLogger);
    container.bind(TOKENS.primaryKvView).toConstantValue("stale");
    const given = required();
    container.load(tieringModule({ ...given, logger: silentLogger }));
    expect(container.get(TOKENS.clock)).toBe(clock);
    expect(container.get(TOKENS.logger)).toBe(silentLogger);
    expect(container.get(TOKENS.primaryKvView)).toBe(given.primaryKvView);
  });

  it("delivers one factory, also by its class", () => {
    const { container, factory } = testContainer();
    expect(container.get(TOKENS.tierFactory)).toBe(factory);
    expect(container.get(SecondaryTierFactory)).toBe(factory);
    expect(container.get(OffloadingSpecFactory)).toBe(container.get(TOKENS.specFactory));
  });

  it("says why there is no manager and no cache before createTiering", () => {
    const { container } = testContainer();
    for (const token of [TOKENS.tieringManager, TOKENS.kvCache]) {
      expect(() => container.get(token)).toThrow(
        `'${token}' is not available yet. It is bound by createTiering, once every tier is made.`,
      );
    }
  });

  it("may be loaded once per container, and not below one that holds it", () => {
    const { container } = testContainer();
    const message =
      "This container already holds a tiering module. Load one module per container; several caches use sibling containers.";
    const error = expect.objectContaining({ code: "INVALID_STATE", message });
    expect(() => container.load(testModule())).toThrow(error);
    expect(() => new Container({ parent: container }).load(testModule())).toThrow(error);
    expect(container.get(TOKENS.tierFactory)).toBeInstanceOf(SecondaryTierFactory);
  });

  it("may be loaded into sibling containers, which share nothing but what their parent binds", async () => {
    const parent = new Container();
    parent.bind(TOKENS.logger).toConstantValue(silentLogger);
    const [left, right] = [1, 2].map(() => testContainer({}, new Container({ parent })));
    if (left === undefined || right === undefined) throw new TypeError("two containers");
    left.factory.registerTier("nut", "./acme.ts", "fs");
    left.container.rebind(tierToken("example")).to(HeldTier);
    expect(right.factory.supportedTypes()).toEqual(["example", "fs", "log", "obj", "redis"]);
    expect(await right.factory.createSecondaryTier({ type: "example" })).toBeInstanceOf(ExampleTier);
    expect(await left.factory.createSecondaryTier({ type: "example" })).toBeInstanceOf(HeldTier);
    await left.factory.close();
    await expect(right.factory.createSecondaryTier({ type: "example" })).resolves.toBeDefined();
  });

  it("may be the same module for several containers", async () => {
    const module = testModule();
    const factories = [1, 2].map(() => {
      const container = new Container();
      container.load(module);
      return container.get<SecondaryTierFactory>(TOKENS.tierFactory);
    });
    factories[0]?.registerTier("nut", "./acme.ts", "fs");
    expect(factories[1]?.supportedTypes()).toEqual(["example", "fs", "log", "obj", "redis"]);
  });

  it("refuses two classes of one name where they are given, and names both", () => {
    @SecondaryTier("fs")
    class MyFsTier extends HeldTier {}
    @SecondaryTier("twin")
    class FirstTwin extends HeldTier {}
    @SecondaryTier("twin")
    class SecondTwin extends HeldTier {}
    @Detector("EMABackpressureDetector")
    class MyDetector extends EMABackpressureDetector {}
    @Policy("DropStorePolicy")
    class MyPolicy extends DropStorePolicy {}

    const fault = (code: string, text: string) =>
      expect.objectContaining({ code, message: expect.stringContaining(text) });
    expect(() => testModule({ tiers: [MyFsTier] })).toThrow(
      fault("TIER_ALREADY_REGISTERED", "'fs' is already registered by FsTier, so MyFsTier cannot"),
    );
    expect(() => testModule({ tiers: [FirstTwin, SecondTwin] })).toThrow(
      fault("TIER_ALREADY_REGISTERED", "'twin' is already registered by FirstTwin, so SecondTwin cannot"),
    );
    expect(() => testModule({ detectors: [MyDetector] })).toThrow(
      fault("INVALID_STATE", "The detector 'EMABackpressureDetector' is already registered by EMABackpressureDetector"),
    );
    expect(() => testModule({ policies: [MyPolicy] })).toThrow(
      fault("INVALID_STATE", "The policy 'DropStorePolicy' is already registered by DropStorePolicy, so MyPolicy"),
    );
    expect(() => parseTieringConfig({}, { tiers: [MyFsTier] })).toThrow(fault("TIER_ALREADY_REGISTERED", "MyFsTier"));
  });

  it("refuses a class without a decorator of its own", () => {
    class Heir extends ExampleTier {}
    const fault = (name: string) =>
      expect.objectContaining({
        code: "INVALID_STATE",
        message: `${name} has no @SecondaryTier: decorate the class to give it its name.`,
      });
    expect(() => testModule({ tiers: [Heir] })).toThrow(fault("Heir"));
    expect(() => testModule({ tiers: ["fs" as never] })).toThrow(fault("A value of type string"));
    expect(() => testModule({ detectors: [ExampleTier] })).toThrow("ExampleTier has no @Detector");
  });

  it("leaves a tier that was bound before it was loaded to serve", async () => {
    const container = new Container();
    container.bind(tierToken("fs")).to(HeldTier);
    const { factory } = testContainer({}, container);
    expect(await factory.createSecondaryTier({ type: "fs", root_dir: "./kv" })).toBeInstanceOf(HeldTier);
  });
});

describe("a module that is unloaded", () => {
  it("takes its own bindings along, those of types registered later too, and leaves the application's", async () => {
    const container = new Container();
    const module = testModule();
    container.load(module);
    const factory = container.get<SecondaryTierFactory>(TOKENS.tierFactory);
    factory.registerTier("nut", "./acme.ts", "fs");
    await factory.createSecondaryTier({ type: "FreeTier", module_path: "./acme.ts" });
    container.rebind(tierToken("fs")).to(HeldTier);
    container.unload(module);
    for (const token of [tierToken("example"), tierToken("nut"), TOKENS.tierFactory, TOKENS.clock, TOKENS.tierConfig]) {
      expect(container.isBound(token)).toBe(false);
    }
    expect(container.isBound(tierToken("fs"))).toBe(true);
    await expect(factory.createSecondaryTier({ type: "nut" })).rejects.toMatchObject({
      code: "INVALID_STATE",
      message:
        "The tiering module of this factory is no longer loaded into its container. Take the factory of the one that is.",
    });
    expect(container.isBound(tierToken("nut"))).toBe(false);
    await factory.close();
  });

  it("may be loaded again", async () => {
    const container = new Container();
    const module = testModule();
    container.load(module);
    const before = container.get(TOKENS.tierFactory);
    container.unload(module);
    container.load(module);
    const after = container.get<SecondaryTierFactory>(TOKENS.tierFactory);
    expect(after).not.toBe(before);
    expect(await after.createSecondaryTier({ type: "example" })).toBeInstanceOf(ExampleTier);
  });
});

describe("a snapshot of the container", () => {
  it("undoes a rebind, and what was registered or loaded since still works when it is restored", async () => {
    const { container, factory } = testContainer();
    const free = { type: "FreeTier", module_path: "./acme.ts" };
    container.snapshot();
    container.rebind(tierToken("example")).to(HeldTier);
    factory.registerTier("nut", "./acme.ts", "fs");
    expect(await factory.createSecondaryTier({ type: "example" })).toBeInstanceOf(HeldTier);
    await factory.createSecondaryTier({ type: "nut" });
    await factory.createSecondaryTier(free);
    container.restore();
    expect(container.get(TOKENS.tierFactory)).toBe(factory);
    expect(await factory.createSecondaryTier({ type: "example" })).toBeInstanceOf(ExampleTier);
    expect((await factory.createSecondaryTier({ type: "nut" })).tierType).toBe("nut");
    expect((await factory.createSecondaryTier(free)).constructor.name).toBe("FreeTier");
  });
});
