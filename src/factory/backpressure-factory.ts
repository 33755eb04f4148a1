import { configInvalid } from "../config/config-invalid.js";
import { mergeDefaults } from "../config/merge-defaults.js";
import { BACKPRESSURE_KEYS, splitBackpressure } from "../config/split-backpressure.js";
import { validateOptions } from "../config/validate-options.js";
import type { StoreDetector, StorePolicy } from "../contracts/backpressure.js";
import type { Locality } from "../contracts/medium.js";
import type { AnyClass } from "../contracts/tier-metadata.js";
import { backpressureClsMissing } from "../errors/factory-errors.js";
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

/** Static side of a detector class, as far as the factory uses it. */
interface DetectorStatics {
  defaultConfig?(tierType: string, options: { locality: Locality | null }): Record<string, unknown> | null;
}

/** Builds the detector of a tier, and its policy, from a `backpressure` block and the detector class's own defaults. */
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
   * @param scope the tier's scope; what is bound in it for the detector is withdrawn again
   * @throws KvTierError `BACKPRESSURE_CLS_MISSING`, `CONFIG_INVALID`, or what {@link ComponentLocator.locate} throws.
   */
  async create(block: unknown, subject: DetectorSubject, scope: ResolutionScope): Promise<StoreDetector> {
    const { path } = subject;
    const parts = splitBackpressure(block, path);
    if (parts.detectorName === undefined) throw backpressureClsMissing(path);
    if (parts.problems.length > 0) throw configInvalid(parts.problems);

    const detector = await this.#detectors.locate(parts.detectorName, path);
    const policy = await this.#policies.locate(parts.policyName ?? DEFAULT_POLICY, path);
    const options = mergeDefaults(
      detector.contract,
      defaultsOf(detector.target, subject.tierType, subject.locality),
      parts.detectorOptions,
    );
    const detectorConfig = validateOptions(detector.contract, options, path, BACKPRESSURE_KEYS);
    const policyConfig = validateOptions(policy.contract, parts.policyOptions, `${path}.policy`);
    const problems = [...detectorConfig.problems, ...policyConfig.problems];
    if (problems.length > 0) throw configInvalid(problems);

    try {
      scope.provide(TOKENS.policyConfig, policyConfig.value);
      const policyInstance = await this.#resolve<StorePolicy>(scope, policy, POLICY_SHAPE);
      scope.provide(TOKENS.backpressurePolicy, policyInstance).provide(TOKENS.detectorConfig, detectorConfig.value);
      return await this.#resolve<StoreDetector>(scope, detector, DETECTOR_SHAPE);
    } finally {
      scope.withdraw(TOKENS.policyConfig, TOKENS.backpressurePolicy, TOKENS.detectorConfig);
    }
  }

  async #resolve<T>(scope: ResolutionScope, { token }: Located, shape: Shape): Promise<T> {
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
