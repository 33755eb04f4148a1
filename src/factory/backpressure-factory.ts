import { attempt } from "../config/attempt.js";
import { mergeDefaults } from "../config/merge-defaults.js";
import { BACKPRESSURE_KEYS, splitBackpressure } from "../config/split-backpressure.js";
import { validateOptions } from "../config/validate-options.js";
import type { StoreDetector, StorePolicy } from "../contracts/backpressure.js";
import type { Locality } from "../contracts/medium.js";
import type { AnyClass } from "../contracts/tier-metadata.js";
import { backpressureClsMissing } from "../errors/factory-errors.js";
import type { ConfigProblem } from "../errors/kv-tier-error.js";
import { TOKENS } from "../tokens.js";
import { DEFAULT_POLICY } from "./builtins.js";
import type { ComponentLocator, Located } from "./component-locator.js";
import { assertInstance, DETECTOR_SHAPE, POLICY_SHAPE, type Shape } from "./component-shape.js";
import type { ResolutionScope } from "./resolution-scope.js";
import type { Resolver } from "./resolver.js";

/** The tier that a detector is built for. */
export interface DetectorSubject {
  readonly tierType: string;
  readonly locality: Locality | null;
  /** Path of the backpressure block, for error messages. */
  readonly path: string;
}

/** A detector whose classes are found and whose options are read, still to be built. */
export interface DetectorPlan {
  /** What is wrong with the options; a plan with problems is not to be built. */
  readonly problems: readonly ConfigProblem[];
  readonly detector: Located;
  readonly detectorConfig: unknown;
  readonly policy: Located;
  readonly policyConfig: unknown;
}

/** Static side of a detector class, as far as the factory uses it. */
interface DetectorStatics {
  defaultConfig?(tierType: string, options: { locality: Locality | null }): Record<string, unknown> | null;
}

/** Makes the detector of a tier, and its policy, from a `backpressure` block and the detector class's own defaults. */
export class BackpressureFactory {
  readonly #resolver: Resolver;
  readonly #detectors: ComponentLocator;
  readonly #policies: ComponentLocator;

  constructor(resolver: Resolver, detectors: ComponentLocator, policies: ComponentLocator) {
    this.#resolver = resolver;
    this.#detectors = detectors;
    this.#policies = policies;
  }

  /**
   * Finds the classes that `block` names, imports them if need be, and reads their options. The block is not changed.
   *
   * @throws KvTierError `BACKPRESSURE_CLS_MISSING`, or what {@link ComponentLocator.locate} throws.
   */
  async plan(block: unknown, { tierType, locality, path }: DetectorSubject): Promise<DetectorPlan> {
    const parts = splitBackpressure(block, path);
    if (parts.detectorName === undefined) throw backpressureClsMissing(path);
    const detector = await this.#detectors.locate(parts.detectorName, path);
    const policy = await this.#policies.locate(parts.policyName ?? DEFAULT_POLICY, path);

    const problems = [...parts.problems];
    const defaults = attempt(() => defaultsOf(detector.target, tierType, locality), path, problems) ?? {};
    const options = mergeDefaults(detector.contract, defaults, parts.detectorOptions);
    const detectorConfig = validateOptions(detector.contract, options, path, BACKPRESSURE_KEYS);
    const policyConfig = validateOptions(policy.contract, parts.policyOptions, `${path}.policy`);
    return {
      problems: [...problems, ...detectorConfig.problems, ...policyConfig.problems],
      detector,
      detectorConfig: detectorConfig.value,
      policy,
      policyConfig: policyConfig.value,
    };
  }

  /**
   * @param scope the tier's scope; what is bound in it for the detector is withdrawn again
   * @throws KvTierError `NOT_A_DETECTOR` or `NOT_A_POLICY`; whatever a constructor or the container throws.
   */
  async build(plan: DetectorPlan, scope: ResolutionScope): Promise<StoreDetector> {
    try {
      scope.provide(TOKENS.policyConfig, plan.policyConfig);
      const policy = await this.#resolve<StorePolicy>(scope, plan.policy, POLICY_SHAPE);
      scope.provide(TOKENS.backpressurePolicy, policy).provide(TOKENS.detectorConfig, plan.detectorConfig);
      const detector = await this.#resolve<StoreDetector>(scope, plan.detector, DETECTOR_SHAPE);
      // Drops are counted by the policy that the detector really has, which need not be the one it was offered.
      assertInstance(POLICY_SHAPE, `The policy of what '${plan.detector.token()}' resolves to`, detector.policy);
      return detector;
    } finally {
      scope.withdraw(TOKENS.policyConfig, TOKENS.backpressurePolicy, TOKENS.detectorConfig);
    }
  }

  async #resolve<T>(scope: ResolutionScope, located: Located, shape: Shape): Promise<T> {
    const token = located.token();
    const instance = await scope.run(() => this.#resolver.getAsync(token));
    return assertInstance<T>(shape, `What '${token}' resolves to`, instance);
  }
}

/** The defaults that a detector class has for a tier; none for a class that declares none. */
export function defaultsOf(
  target: AnyClass | undefined,
  tierType: string,
  locality: Locality | null,
): Record<string, unknown> {
  const statics = target as (AnyClass & DetectorStatics) | undefined;
  return statics?.defaultConfig?.(tierType, { locality }) ?? {};
}
