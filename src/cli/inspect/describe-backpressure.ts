import { parseComponentName } from "../../config/component-name.js";
import { mergeDefaults } from "../../config/merge-defaults.js";
import { splitBackpressure } from "../../config/split-backpressure.js";
import type { TierConfigParts } from "../../config/split-tier-config.js";
import { validateOptions } from "../../config/validate-options.js";
import {
  detectorMetadataOf,
  policyMetadataOf,
  type AnyClass,
  type ComponentMetadata,
} from "../../contracts/tier-metadata.js";
import { defaultsOf } from "../../factory/backpressure-factory.js";
import { DEFAULT_POLICY } from "../../factory/builtins.js";
import type { ClassRegistry } from "../../factory/class-registry.js";
import type { Registries } from "../../factory/registries.js";
import { detectorToken, policyToken } from "../../tokens.js";
import { shownOptions, type ShownOptions } from "./shown-options.js";

export interface BackpressureDescription {
  readonly detector: ComponentDescription;
  readonly policy: ComponentDescription;
}

export interface ComponentDescription {
  /** As in the config. */
  readonly name: string;
  /** `null` for a class of a module, which is imported only when the tier is created. */
  readonly token: string | null;
  readonly class: string | null;
  /** With defaults, as far as they are known without the class. */
  readonly options: ShownOptions;
}

/** @param tier parts of an entry that was found valid */
export function describeBackpressure(tier: TierConfigParts, registries: Registries): BackpressureDescription {
  const parts = splitBackpressure(tier.backpressure, "");
  const detector = locate(parts.detectorName ?? "", registries.detectors, detectorToken);
  const policy = locate(parts.policyName ?? DEFAULT_POLICY, registries.policies, policyToken);
  const defaults = defaultsOf(detector.target, tier.type ?? "", tier.locality ?? null);
  return {
    detector: describe(detector, detectorMetadataOf, parts.detectorOptions, defaults),
    policy: describe(policy, policyMetadataOf, parts.policyOptions, {}),
  };
}

interface LocatedClass {
  readonly name: string;
  readonly token: string | null;
  readonly target: AnyClass | undefined;
}

function locate(name: string, registry: ClassRegistry, tokenOf: (name: string) => string): LocatedClass {
  const ref = parseComponentName(name, (candidate) => registry.get(candidate) !== undefined);
  const target = ref.kind === "name" ? registry.get(ref.name)?.loaded : undefined;
  return { name, token: ref.kind === "name" ? tokenOf(ref.name) : null, target };
}

function describe(
  { name, token, target }: LocatedClass,
  metadataOf: (target: object) => ComponentMetadata | undefined,
  options: Readonly<Record<PropertyKey, unknown>>,
  defaults: Readonly<Record<string, unknown>>,
): ComponentDescription {
  const metadata = target && metadataOf(target);
  const contract = metadata === undefined ? "passthrough" : metadata.config;
  const { value } = validateOptions(contract, mergeDefaults(contract, defaults, options), "");
  return { name, token, class: target?.name ?? null, options: shownOptions(value) };
}
