import { describe, expect, it } from "@jest/globals";
import { inject } from "inversify";
import { Count } from "../../../src/config/number-options.js";
import { OneOf } from "../../../src/config/value-options.js";
import type { TierContext } from "../../../src/contracts/tier-context.js";
import { SecondaryTier } from "../../../src/decorators/secondary-tier.js";
import type { KvTierError } from "../../../src/errors/kv-tier-error.js";
import type { SecondaryTierFactory } from "../../../src/factory/secondary-tier-factory.js";
import { createTestSpec } from "../../../src/testing/create-test-spec.js";
import { HeldTier } from "../../../src/testing/held-tier.js";
import { ExampleTier } from "../../../src/tiers/example/example-tier.js";
import { TOKENS, tierToken } from "../../../src/tokens.js";
import { recordingLogger } from "../../support/recording-logger.js";
import { errorOf, testContainer } from "../../support/tiering-container.js";

class CrateConfig {
  @Count() slots!: number;
  @OneOf(["LOCAL", "REMOTE"], { optional: true }) locality?: string;
}

/** Shows what it was given. */
@SecondaryTier("crate", { config: CrateConfig })
class CrateTier extends HeldTier {
  get given(): TierContext {
    return this.context;
  }
}

@SecondaryTier("loose", { config: "passthrough" })
class LooseTier extends HeldTier {
  get given(): TierContext {
    return this.context;
  }
}

const tiers = [CrateTier, LooseTier];
const createCrate = async (factory: SecondaryTierFactory, options: object, placement = {}): Promise<CrateTier> =>
  (await factory.createSecondaryTier({ type: "crate", slots: 1, ...options }, placement)) as CrateTier;

describe("createSecondaryTier", () => {
  it("hands the tier all its collaborators in one context", async () => {
    const { logger, lines } = recordingLogger();
    const { factory, container, clock } = testContainer({ tiers, logger });
    let notified = 0;
    const { given, tierType, locality, blockBytes } = await createCrate(
      factory,
      { slots: 3 },
      { notify: () => notified++ },
    );
    expect(given).toMatchObject({
      tierType: "crate",
      config: { slots: 3 },
      backpressureDetector: null,
      locality: null,
    });
    expect(given.config).toBeInstanceOf(CrateConfig);
    expect(given.clock).toBe(clock);
    expect(given.primaryKvView).toBe(container.get(TOKENS.primaryKvView));
    expect(given.offloadingSpec).toBe(container.get(TOKENS.offloadingSpec));
    given.logger.warn("full", { slots: 3 });
    expect(lines).toEqual([{ level: "warn", message: "full", fields: { slots: 3 } }]);
    given.notify();
    expect(notified).toBe(1);
    expect({ tierType, locality, blockBytes }).toEqual({ tierType: "crate", locality: null, blockBytes: 256 });
  });

  it("works without somebody to notify", async () => {
    const { factory } = testContainer({ tiers });
    const crate = await createCrate(factory, {});
    expect(crate.given.notify()).toBeUndefined();
  });

  it.each(["local", "Remote", "REMOTE"])(
    "sets the locality %s on the base, and in the config of who declares it",
    async (locality) => {
      const { factory } = testContainer({ tiers });
      const crate = await createCrate(factory, { locality });
      expect(crate.locality).toBe(locality.toUpperCase());
      expect(crate.given.config).toEqual({ slots: 1, locality: locality.toUpperCase() });
      const example = await factory.createSecondaryTier({ type: "example", locality });
      expect(example.locality).toBe(locality.toUpperCase());
    },
  );

  it("hands a pass-through tier every key, frozen, without a prototype and in the caller's spelling", async () => {
    const { factory } = testContainer({ tiers });
    const tier = (await factory.createSecondaryTier({
      type: "loose",
      locality: "local",
      extra: { deep: [1] },
    })) as LooseTier;
    const config = tier.given.config as { extra: { deep: number[] } };
    expect(config).toEqual({ type: "loose", locality: "LOCAL", extra: { deep: [1] } });
    expect(Object.getPrototypeOf(config)).toBeNull();
    expect(Object.isFrozen(config.extra.deep)).toBe(true);
  });

  it("neither changes nor keeps the caller's object, also when that is frozen at every depth", async () => {
    const { factory } = testContainer({ tiers });
    const extra = { list: [1] };
    const config = {
      type: "loose",
      extra,
      backpressure: Object.freeze({ backpressure_cls: "EMABackpressureDetector" }),
    };
    const before = structuredClone(config);
    const tier = (await factory.createSecondaryTier(config)) as LooseTier;
    expect(config).toEqual(before);
    extra.list.push(2);
    expect(tier.given.config).toMatchObject({ extra: { list: [1] } });
    Object.freeze(extra.list);
    Object.freeze(extra);
    await expect(factory.createSecondaryTier(Object.freeze(config))).resolves.toBeInstanceOf(LooseTier);
  });

  it("tells of every problem at once, with the place of the tier in its paths", async () => {
    const { factory } = testContainer({ tiers });
    const config = {
      type: "crate",
      slots: 0,
      slotz: 1,
      locality: "moon",
      enable_kv_events: "yes",
      backpressure: { backpressure_cls: "EMABackpressureDetector", alpha: 2, policy: { ramp: 1 } },
    };
    const error = (await errorOf(() => factory.createSecondaryTier(config, { index: 2 }))) as KvTierError;
    expect(error.code).toBe("CONFIG_INVALID");
    expect(error.problems.map(({ path }) => path).sort()).toEqual([
      "secondary_tiers[2].backpressure.alpha",
      "secondary_tiers[2].backpressure.policy.ramp",
      "secondary_tiers[2].enable_kv_events",
      "secondary_tiers[2].locality",
      "secondary_tiers[2].slots",
      "secondary_tiers[2].slotz",
    ]);
    expect(error.message).toContain("did you mean slots?");
  });

  it("refuses any option of a tier that has none", async () => {
    @SecondaryTier("plain")
    class PlainTier extends HeldTier {}
    const { factory } = testContainer({ tiers: [PlainTier] });
    await expect(factory.createSecondaryTier({ type: "plain" })).resolves.toBeInstanceOf(PlainTier);
    await expect(factory.createSecondaryTier({ type: "plain", size: 1 })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      problems: [{ path: "size", message: expect.stringMatching(/^unknown key; known are type, module_path, /) }],
    });
  });

  it.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
  ])("with enable_kv_events %p and the global one %p, the tier records: %p", async (own, global, records) => {
    const { logger, lines } = recordingLogger();
    const offloadingSpec = createTestSpec({ enableKvEvents: global });
    const { factory } = testContainer({ tiers, logger, offloadingSpec });
    const crate = await createCrate(factory, { enable_kv_events: own }, { index: 1 });
    expect(crate.given.enableKvEvents).toBe(records);
    const warning =
      "secondary_tiers[1] ('crate'): enable_kv_events does nothing without the global enable_kv_cache_events.";
    expect(lines).toEqual(own && !global ? [{ level: "warn", message: warning, fields: undefined }] : []);
  });

  it("keeps tiers apart that are created at once, whatever they await on the way", async () => {
    @SecondaryTier("slow", { config: "passthrough" })
    class SlowTier extends LooseTier {
      constructor(
        @inject(TOKENS.tierContext) context: TierContext,
        @inject("late") readonly late: unknown,
        @inject(TOKENS.tierConfig) readonly config: { n: number },
        @inject(TOKENS.backpressureDetector) readonly detector: unknown,
      ) {
        super(context);
      }
    }
    const { factory, container } = testContainer({ tiers: [SlowTier] });
    // What is asked for after a wait still belongs to the tier that waits.
    container.bind("late").toDynamicValue(async (context) => {
      const before = context.get<{ n: number }>(TOKENS.tierConfig).n;
      for (let turns = before % 7; turns >= 0; turns--) await new Promise(setImmediate);
      return [before, context.get<{ n: number }>(TOKENS.tierConfig).n, context.get(TOKENS.tierType)];
    });
    const backpressure = { backpressure_cls: "EMABackpressureDetector" };
    const configs = Array.from({ length: 60 }, (_, n) => ({ type: "slow", n, ...(n % 2 === 0 && { backpressure }) }));
    const made = (await Promise.all(configs.map((config) => factory.createSecondaryTier(config)))) as SlowTier[];
    expect(made.map(({ config }) => config.n)).toEqual(configs.map(({ n }) => n));
    expect(made.map(({ late }) => late)).toEqual(configs.map(({ n }) => [n, n, "slow"]));
    expect(made.map(({ given, config }) => given.config === config)).not.toContain(false);
    expect(made.map(({ detector }) => detector !== null)).toEqual(configs.map(({ n }) => n % 2 === 0));
    expect(new Set(made.map(({ detector }) => detector)).size).toBe(31);
  });

  it("lets a tier create further tiers while it is constructed and initialized", async () => {
    @SecondaryTier("nest", { config: "passthrough" })
    class NestTier extends LooseTier {
      inner: LooseTier | undefined;
      constructor(
        @inject(TOKENS.tierContext) context: TierContext,
        @inject("built") readonly built: LooseTier,
        @inject(TOKENS.tierFactory) readonly factory: SecondaryTierFactory,
        @inject(TOKENS.tierConfig) readonly config: unknown,
      ) {
        super(context);
      }

      override async initialize(): Promise<void> {
        this.inner = (await this.factory.createSecondaryTier({ type: "loose", where: "initialize" })) as LooseTier;
      }
    }
    const { factory, container } = testContainer({ tiers: [NestTier, ...tiers] });
    container.bind("built").toDynamicValue(() => factory.createSecondaryTier({ type: "loose", where: "constructor" }));
    const nest = (await factory.createSecondaryTier({ type: "nest", where: "outside" })) as NestTier;
    expect(nest.config).toMatchObject({ where: "outside" });
    expect(nest.built.given.config).toMatchObject({ where: "constructor" });
    expect(nest.inner?.given.config).toMatchObject({ where: "initialize" });
  });

  it("reads ports that the application rebound to asynchronous values", async () => {
    const { factory, container } = testContainer({ tiers });
    const offloadingSpec = createTestSpec({ specName: "late" });
    container.rebind(TOKENS.offloadingSpec).toDynamicValue(async () => offloadingSpec);
    expect((await createCrate(factory, {})).given.offloadingSpec).toBe(offloadingSpec);
  });

  it("has values for the tokens of a tier only while one is created", async () => {
    const { container } = testContainer({ tiers });
    expect(() => container.get(TOKENS.tierConfig)).toThrow(
      "'kv.tier-config' has a value only while a tier is created; inject it into the tier (or its detector or policy).",
    );
    await expect(container.getAsync(tierToken("example"))).rejects.toMatchObject({ code: "INVALID_STATE" });
  });

  it("says which tier asked for a value that only its detector has", async () => {
    @SecondaryTier("nosy")
    class NosyTier extends HeldTier {
      constructor(@inject(TOKENS.tierContext) context: TierContext, @inject(TOKENS.detectorConfig) _config: unknown) {
        super(context);
      }
    }
    const { factory } = testContainer({ tiers: [NosyTier] });
    const backpressure = { backpressure_cls: "EMABackpressureDetector" };
    const error = await errorOf(() => factory.createSecondaryTier({ type: "nosy", backpressure }, { index: 0 }));
    expect(error.message).toBe(
      "secondary_tiers[0] ('nosy'): construction failed: " +
        "'kv.detector-config' has no value while secondary_tiers[0] ('nosy') is created.",
    );
  });

  it("makes a new instance each time", async () => {
    const { factory } = testContainer();
    const first = await factory.createSecondaryTier({ type: "example" });
    const second = await factory.createSecondaryTier({ type: "example" });
    expect(first).toBeInstanceOf(ExampleTier);
    expect(second).not.toBe(first);
  });
});
