import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { Container, inject, injectable, type Newable } from "inversify";
import { BackpressureDetector } from "../../../src/backpressure/backpressure-detector.js";
import { ThrottledDropPolicy } from "../../../src/backpressure/throttled-drop-policy.js";
import { Medium } from "../../../src/contracts/medium.js";
import type { TierContext } from "../../../src/contracts/tier-context.js";
import { detectorMetadataOf, policyMetadataOf, tierMetadataOf } from "../../../src/contracts/tier-metadata.js";
import { Detector } from "../../../src/decorators/detector.js";
import { Policy } from "../../../src/decorators/policy.js";
import { SecondaryTier } from "../../../src/decorators/secondary-tier.js";
import { createTierContext } from "../../../src/testing/create-tier-context.js";
import { HeldTier } from "../../../src/testing/held-tier.js";
import { ManualClock } from "../../../src/testing/manual-clock.js";
import { TOKENS } from "../../../src/tokens.js";

const context = createTierContext();
const clock = new ManualClock();

/** A container with what the bases of tiers and detectors ask for. */
function resolve<T>(target: new (...args: never[]) => T): T {
  const container = new Container();
  container.bind(TOKENS.tierContext).toConstantValue(context);
  container.bind(TOKENS.detectorConfig).toConstantValue("config");
  container.bind(TOKENS.backpressurePolicy).toConstantValue("policy");
  container.bind(TOKENS.clock).toConstantValue(clock);
  container.bind("extra").toConstantValue("extra");
  container.bind<T>("target").to(target as Newable<T>);
  return container.get<T>("target");
}

const invalid = (message: string) => expect.objectContaining({ code: "INVALID_STATE", message });
const contextOf = (tier: object): unknown => Reflect.get(tier, "context");

describe("a decorated class", () => {
  it("carries its metadata, frozen, under a key that every copy of the package knows", () => {
    class Options {}
    @SecondaryTier("shelf", { config: Options, medium: Medium.Storage })
    class ShelfTier extends HeldTier {}
    @Detector("watch", { config: "passthrough" })
    class WatchDetector {}
    @Policy("whim")
    class WhimPolicy {}
    expect(tierMetadataOf(ShelfTier)).toEqual({ name: "shelf", config: Options, medium: "STORAGE" });
    expect(Reflect.get(ShelfTier, Symbol.for("kvtier/tier"))).toBe(tierMetadataOf(ShelfTier));
    expect(Object.isFrozen(tierMetadataOf(ShelfTier))).toBe(true);
    expect(detectorMetadataOf(WatchDetector)).toEqual({ name: "watch", config: "passthrough" });
    expect(policyMetadataOf(WhimPolicy)).toEqual({ name: "whim", config: null });
    expect(tierMetadataOf(WatchDetector)).toBeUndefined();
  });

  it("passes its metadata on to subclasses that have none of their own", () => {
    @SecondaryTier("base", { medium: Medium.Cpu })
    class BaseTier extends HeldTier {}
    class Heir extends BaseTier {}
    @SecondaryTier("own")
    class Own extends Heir {}
    expect(tierMetadataOf(Heir)).toMatchObject({ name: "base", medium: "CPU" });
    expect(tierMetadataOf(Own)).toMatchObject({ name: "own", medium: null });
    expect(resolve(Own).medium).toBeNull();
  });

  it("needs a name and a contract", () => {
    expect(() => SecondaryTier("")(class Nameless {})).toThrow(
      invalid('@SecondaryTier on Nameless needs a name: @SecondaryTier("my-name").'),
    );
    expect(() => Detector(undefined as never)(class Nameless {})).toThrow(
      invalid('@Detector on Nameless needs a name: @Detector("my-name").'),
    );
    expect(() => Policy("p", { config: { rate: 1 } as never })(class Odd {})).toThrow(
      invalid(`@Policy("p") on Odd: 'config' must be a class, "passthrough", or left out.`),
    );
  });

  it("must not be injectable already", () => {
    expect(() => SecondaryTier("x")(injectableClass())).toThrow(
      invalid("Doubled is already injectable: remove @injectable() from it, @SecondaryTier applies it."),
    );
  });

  it("must not be made injectable afterwards, which inversify refuses by the name of the class", () => {
    class Doubled {}
    SecondaryTier("x")(Doubled);
    expect(() => injectable()(Doubled)).toThrow('Cannot apply @injectable decorator multiple times at class "Doubled"');
  });

  it("is one component", () => {
    class Twice {}
    SecondaryTier("x")(Twice);
    expect(() => Detector("y")(Twice)).toThrow(
      invalid("Twice carries @SecondaryTier already, so @Detector cannot be applied too: one class is one component."),
    );
    expect(() => SecondaryTier("z")(Twice)).toThrow(
      invalid(expect.stringContaining("@SecondaryTier already") as never),
    );
    expect(tierMetadataOf(Twice)?.name).toBe("x");
  });

  it("may be decorated below a decorated base of another kind", () => {
    @Policy("tame")
    class TamePolicy extends ThrottledDropPolicy {}
    @Detector("hybrid")
    class Hybrid extends TamePolicy {}
    expect(detectorMetadataOf(Hybrid)?.name).toBe("hybrid");
    expect(policyMetadataOf(Hybrid)?.name).toBe("tame");
  });
});

describe("injection of a decorated class", () => {
  it("comes from its bases, through any number of classes without a constructor", () => {
    class Middle extends HeldTier {}
    class Lower extends Middle {}
    @SecondaryTier("deep")
    class DeepTier extends Lower {
      readonly field = 1;
    }
    expect(contextOf(resolve(DeepTier))).toBe(context);
    @SecondaryTier("deeper")
    class DeeperTier extends DeepTier {}
    expect(contextOf(resolve(DeeperTier))).toBe(context);
    expect(contextOf(resolve(DeepTier))).toBe(context);
  });

  it("comes from its bases with a constructor that takes the rest", () => {
    @SecondaryTier("rest")
    class RestTier extends HeldTier {
      readonly count: number;
      constructor(...args: ConstructorParameters<typeof HeldTier>) {
        super(...args);
        this.count = args.length;
      }
    }
    expect(resolve(RestTier).count).toBe(1);
  });

  it("is the constructor's own, where it has one", () => {
    @SecondaryTier("own")
    class OwnTier extends HeldTier {
      constructor(
        @inject("extra") readonly extra: string,
        @inject(TOKENS.tierContext) given: TierContext,
      ) {
        super(given);
      }
    }
    @SecondaryTier("heir")
    class HeirTier extends OwnTier {}
    for (const tier of [resolve(OwnTier), resolve(HeirTier)]) {
      expect(tier.extra).toBe("extra");
      expect(contextOf(tier)).toBe(context);
    }
  });

  it("leaves the defaults of a constructor's own parameters alone, also where its base takes more", () => {
    @Detector("patient")
    class PatientDetector extends BackpressureDetector {
      constructor(
        @inject(TOKENS.clock) own: ManualClock,
        readonly patience: unknown = 5,
      ) {
        super("none", { shouldStore: () => true } as never, own);
      }
      isUnderPressure(): boolean {
        return false;
      }
      onStoreCompleted(): void {}
      reset(): void {}
    }
    expect(resolve(PatientDetector).patience).toBe(5);
  });

  it("follows the base's parameters where the constructor's own have no @inject", () => {
    @SecondaryTier("plain")
    class PlainTier extends HeldTier {
      readonly kept: TierContext;
      constructor(given: TierContext) {
        super(given);
        this.kept = given;
      }
    }
    expect(resolve(PlainTier).kept).toBe(context);
  });

  it("covers properties, those of bases too", () => {
    class Middle extends HeldTier {
      @inject("extra") readonly first!: string;
    }
    @SecondaryTier("property")
    class PropertyTier extends Middle {
      @inject(TOKENS.clock) readonly second!: ManualClock;
    }
    const tier = resolve(PropertyTier);
    expect(tier.first).toBe("extra");
    expect(tier.second).toBe(clock);
    expect(contextOf(tier)).toBe(context);
  });

  it("takes a class on a foreign base, if its constructor says what that base gets", () => {
    @SecondaryTier("emitter")
    class EmitterTier extends EventEmitter {
      constructor(@inject(TOKENS.tierContext) readonly given: TierContext) {
        super({ captureRejections: true });
      }
    }
    @SecondaryTier("stream")
    class StreamTier extends Readable {
      @inject("extra") readonly extra!: string;
      constructor() {
        super({ objectMode: true });
      }
    }
    expect(resolve(EmitterTier).given).toBe(context);
    expect(resolve(StreamTier).extra).toBe("extra");
  });

  it("refuses a base whose constructor wants what nobody injects", () => {
    class Base {
      constructor(readonly folder: string) {}
    }
    class Middle extends Base {}
    for (const [base, target] of [
      ["Base", class Heir extends Base {}],
      ["Base", Middle],
    ] as const) {
      expect(() => SecondaryTier("x")(target)).toThrow(
        invalid(
          `@SecondaryTier on ${target.name}: the constructor of its base ${base} has parameters without @inject(token). ` +
            `Inject them there, or give ${target.name} a constructor of its own that passes them to super().`,
        ),
      );
    }
  });

  it("refuses a constructor of its own that wants what nobody injects", () => {
    class Bare {
      constructor(readonly folder: string) {}
    }
    expect(() => Policy("bare")(Bare)).toThrow(
      invalid("@Policy on Bare: its constructor has parameters without @inject(token)."),
    );
    expect(policyMetadataOf(Bare)).toBeUndefined();
  });

  it("is missed with a clear error by a subclass without the decorator", () => {
    class ForgottenTier extends HeldTier {}
    expect(() => resolve(ForgottenTier)).toThrow(
      invalid(
        "ForgottenTier was constructed without its TierContext. Decorate the class with @SecondaryTier, which injects " +
          "it, or pass the context to super().",
      ),
    );
  });
});

function injectableClass(): new () => object {
  @injectable()
  class Doubled {}
  return Doubled;
}
