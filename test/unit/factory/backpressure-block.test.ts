import { describe, expect, it } from "@jest/globals";
import { inject } from "inversify";
import { BackpressureDetector } from "../../../src/backpressure/backpressure-detector.js";
import { DropStorePolicy } from "../../../src/backpressure/drop-store-policy.js";
import { EMABackpressureDetector } from "../../../src/backpressure/ema-backpressure-detector.js";
import { ThrottledDropPolicy } from "../../../src/backpressure/throttled-drop-policy.js";
import type { StoreDetector } from "../../../src/contracts/backpressure.js";
import { Detector } from "../../../src/decorators/detector.js";
import type { KvTierError } from "../../../src/errors/kv-tier-error.js";
import { detectorToken, policyToken, TOKENS } from "../../../src/tokens.js";
import { errorOf, testContainer, type TestContainer } from "../../support/tiering-container.js";

const detectorOf = async ({ factory }: Pick<TestContainer, "factory">, block: object, rest: object = {}) => {
  const tier = await factory.createSecondaryTier({ type: "example", ...rest, backpressure: block });
  if (tier.backpressureDetector === null) throw new TypeError("no detector");
  return tier.backpressureDetector;
};
const configOf = (detector: StoreDetector): object => Reflect.get(detector, "config") as object;

describe("a backpressure block", () => {
  it.each([undefined, null])("that is %p makes no detector", async (backpressure) => {
    const tier = await testContainer().factory.createSecondaryTier({ type: "example", backpressure });
    expect(tier.backpressureDetector).toBeNull();
  });

  it.each([{}, { backpressure_cls: undefined }, { policy_cls: "DropStorePolicy" }, { backpressure_cls: "" }])(
    "must name its detector: %j",
    async (backpressure) => {
      const { factory } = testContainer();
      const create = factory.createSecondaryTier({ type: "example", backpressure }, { index: 0 });
      await expect(create).rejects.toMatchObject({
        code: "BACKPRESSURE_CLS_MISSING",
        message:
          "secondary_tiers[0].backpressure must include 'backpressure_cls', the detector's class, " +
          'such as { "backpressure_cls": "EMABackpressureDetector" }.',
      });
    },
  );

  it("builds the default policy, a named one, and gives that its options", async () => {
    const made = testContainer();
    const first = await detectorOf(made, { backpressure_cls: "EMABackpressureDetector" });
    expect(first).toBeInstanceOf(EMABackpressureDetector);
    expect(first.policy).toBeInstanceOf(ThrottledDropPolicy);
    const second = await detectorOf(made, {
      backpressureCls: "EMABackpressureDetector",
      policyCls: "ThrottledDropPolicy",
      policy: { ramp_factor: 7 },
    });
    expect(Reflect.get(second.policy, "config")).toEqual({ rampFactor: 7 });
    const third = await detectorOf(made, {
      backpressure_cls: "EMABackpressureDetector",
      policy_cls: "DropStorePolicy",
    });
    expect(third.policy).toBeInstanceOf(DropStorePolicy);
  });

  it.each([
    ["EMABackpressureDetector", "DropStorePolicy"],
    [
      "vllm.v1.kv_offload.tiering.backpressure.EMABackpressureDetector",
      "vllm.v1.kv_offload.tiering.backpressure.DropStorePolicy",
    ],
  ])("finds the built-in classes as %s", async (backpressure_cls, policy_cls) => {
    const detector = await detectorOf(testContainer(), { backpressure_cls, policy_cls });
    expect(detector).toBeInstanceOf(EMABackpressureDetector);
    expect(detector.policy).toBeInstanceOf(DropStorePolicy);
  });

  it.each([
    ["./acme.ts#TallyDetector", "./acme.ts#NeverPolicy"],
    ["./acme.ts.TallyDetector", "./acme.ts.NeverPolicy"],
  ])("finds the exports of a module as %s", async (backpressure_cls, policy_cls) => {
    const detector = await detectorOf(testContainer(), { backpressure_cls, policy_cls, patience: 3 });
    expect(detector.constructor.name).toBe("TallyDetector");
    expect(detector.policy.constructor.name).toBe("NeverPolicy");
    expect(configOf(detector)).toEqual({ patience: 3 });
    expect(detector.shouldStore(4)).toBe(false);
    expect(detector.policy.popStoresDropped()).toEqual({ stores: 1, blocks: 4 });
  });

  it("lists the known names with an unknown one", async () => {
    const { factory } = testContainer();
    const create = (backpressure: object) =>
      factory.createSecondaryTier({ type: "example", backpressure }, { index: 1 });
    await expect(create({ backpressure_cls: "EmaDetector" })).rejects.toMatchObject({
      code: "DETECTOR_UNKNOWN",
      message:
        "Unknown backpressure detector 'EmaDetector' in secondary_tiers[1].backpressure. " +
        "Did you mean EMABackpressureDetector? Known: " +
        "EMABackpressureDetector. For one of your own, name it as 'module#Export', or give its class to tieringModule.",
    });
    await expect(
      create({ backpressure_cls: "EMABackpressureDetector", policy_cls: "constructor" }),
    ).rejects.toMatchObject({
      code: "POLICY_UNKNOWN",
      message: expect.stringContaining("Known: DropStorePolicy, ThrottledDropPolicy."),
    });
  });

  it.each([
    ["HalfDetector", undefined, "NOT_A_DETECTOR", "isHealthy, overshoot, shouldStore, update, onStoreFailed, reset"],
    ["TallyDetector", "HalfPolicy", "NOT_A_POLICY", "onStoreSkipped, popStoresDropped, reset"],
  ])("names what %s with policy %s lacks", async (detector, policy, code, members) => {
    const block = { backpressure_cls: `./acme.ts#${detector}`, ...(policy && { policy_cls: `./acme.ts#${policy}` }) };
    const error = await errorOf(() => detectorOf(testContainer(), block));
    expect(error).toMatchObject({ code });
    expect(error.message).toContain(`has no ${members}. It must implement`);
  });

  it.each([
    ["arrow", "NOT_A_DETECTOR"],
    ["notAClass", "NOT_A_DETECTOR"],
    ["Nobody", "EXPORT_MISSING"],
  ])("refuses the export %s", async (name, code) => {
    await expect(detectorOf(testContainer(), { backpressure_cls: `./acme.ts#${name}` })).rejects.toMatchObject({
      code,
    });
  });

  it("is honoured by a rebound detector and policy, with the options of what is registered", async () => {
    const made = testContainer();
    const policy = { shouldStore: () => true, onStoreSkipped() {}, popStoresDropped: () => ({}), reset() {} };
    made.container.rebind(policyToken("ThrottledDropPolicy")).toConstantValue(policy);
    expect((await detectorOf(made, { backpressure_cls: "EMABackpressureDetector" })).policy).toBe(policy);
    made.container.rebind(detectorToken("EMABackpressureDetector")).toConstantValue({ shouldStore: () => true });
    await expect(detectorOf(made, { backpressure_cls: "EMABackpressureDetector" })).rejects.toMatchObject({
      code: "NOT_A_DETECTOR",
    });
    await expect(detectorOf(made, { backpressure_cls: "EMABackpressureDetector", alpha: 9 })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
    });
  });

  it("refuses a detector without a policy, whose drops nobody could count", async () => {
    const made = testContainer();
    const real = await detectorOf(made, { backpressure_cls: "EMABackpressureDetector" });
    const bare = new Proxy(real, {
      get: (target, key): unknown => (key === "policy" ? undefined : Reflect.get(target, key)),
    });
    made.container.bind(detectorToken("bare")).toConstantValue(bare);
    await expect(detectorOf(made, { backpressure_cls: "bare" })).rejects.toMatchObject({
      code: "NOT_A_POLICY",
      message: expect.stringContaining("The policy of what 'kv.detector:bare' resolves to"),
    });
  });

  it("hands a detector bound by hand its options as they are", async () => {
    const made = testContainer();
    made.container.bind(detectorToken("mine")).to(TypeAwareDetector);
    const detector = await detectorOf(made, { backpressure_cls: "mine", patience: 3 });
    expect(configOf(detector)).toEqual({ patience: 3 });
  });

  it("lets a detector know its tier's type, and the clock", async () => {
    const made = testContainer({ detectors: [TypeAwareDetector] });
    const detector = (await detectorOf(made, { backpressure_cls: "type-aware" })) as TypeAwareDetector;
    expect(detector.tierType).toBe("example");
    made.clock.advance(3);
    detector.update(1, 10);
    expect(detector.elapsedS).toBe(2);
  });

  it("says which tier it was for when a constructor or the defaults throw", async () => {
    @Detector("broken")
    class BrokenDetector extends TypeAwareDetector {
      override get stats(): never {
        throw new Error("unused");
      }
      override readonly elapsedS = fail("sensor is gone");
    }
    @Detector("undecided", { config: "passthrough" })
    class UndecidedDetector extends TypeAwareDetector {
      static override defaultConfig(): never {
        throw new Error("password=hunter2");
      }
    }
    const { factory } = testContainer({ detectors: [BrokenDetector, UndecidedDetector] });
    const create = (backpressure_cls: string) =>
      errorOf(() => factory.createSecondaryTier({ type: "example", backpressure: { backpressure_cls } }, { index: 0 }));
    const broken = await create("broken");
    expect(broken).toMatchObject({ code: "TIER_INIT_FAILED", cause: new Error("sensor is gone") });
    expect(broken.message).toBe("secondary_tiers[0] ('example'): construction of its detector failed: sensor is gone");
    const undecided = (await create("undecided")) as KvTierError;
    expect(undecided).toMatchObject({ code: "CONFIG_INVALID" });
    expect(undecided.message).not.toContain("hunter2");
  });

  it("gates a tier that is built on nothing of kvtier's", async () => {
    const { factory } = testContainer();
    const tier = await factory.createSecondaryTier({
      type: "FreeTier",
      module_path: "./acme.ts",
      backpressure: { backpressure_cls: "EMABackpressureDetector" },
    });
    expect(tier.backpressureDetector).toBeInstanceOf(EMABackpressureDetector);
  });
});

const fail = (reason: string): number => {
  throw new Error(reason);
};

@Detector("type-aware", { config: "passthrough" })
class TypeAwareDetector extends BackpressureDetector {
  @inject(TOKENS.tierType) readonly tierType!: string;
  readonly elapsedS: number = 0;

  isUnderPressure(): boolean {
    return false;
  }

  onStoreCompleted(elapsedS: number): void {
    Object.assign(this, { elapsedS });
  }

  reset(): void {}
}
