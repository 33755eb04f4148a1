import {
  DETECTOR_METADATA,
  POLICY_METADATA,
  TIER_METADATA,
  type AnyClass,
  type ComponentMetadata,
} from "../contracts/tier-metadata.js";
import { componentAlreadyRegistered, tierAlreadyRegistered } from "../errors/factory-errors.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { detectorToken, policyToken, specToken, tierToken } from "../tokens.js";
import { BUILT_IN_DETECTORS, BUILT_IN_POLICIES, BUILT_IN_SPECS, BUILT_IN_TIERS } from "./builtins.js";
import { ClassRegistry } from "./class-registry.js";

/** Decorated classes of the application, known besides the built-in ones. */
export interface ComponentClasses {
  readonly tiers?: readonly AnyClass[];
  readonly detectors?: readonly AnyClass[];
  readonly policies?: readonly AnyClass[];
}

/** Every class that one container module knows by name. */
export class Registries {
  readonly tiers = new ClassRegistry(tierAlreadyRegistered);
  readonly detectors = new ClassRegistry(duplicate("detector"));
  readonly policies = new ClassRegistry(duplicate("policy"));
  readonly specs = new ClassRegistry(duplicate("offloading spec"));

  constructor({ tiers = [], detectors = [], policies = [] }: ComponentClasses = {}) {
    add(this.tiers, [...BUILT_IN_TIERS, ...tiers], TIER_METADATA, "@SecondaryTier");
    add(this.detectors, [...BUILT_IN_DETECTORS, ...detectors], DETECTOR_METADATA, "@Detector");
    add(this.policies, [...BUILT_IN_POLICIES, ...policies], POLICY_METADATA, "@Policy");
    for (const [name, value] of BUILT_IN_SPECS) this.specs.register(name, { value });
  }

  /** The tokens that the classes are bound under. */
  tokens(): string[] {
    return [
      ...this.tiers.names().map(tierToken),
      ...this.detectors.names().map(detectorToken),
      ...this.policies.names().map(policyToken),
      ...this.specs.names().map(specToken),
    ];
  }
}

function add(registry: ClassRegistry, classes: readonly AnyClass[], key: symbol, decorator: string): void {
  for (const value of classes) {
    // What a base left does not count: its name is the base's, and nothing injects the subclass.
    if (typeof value !== "function" || !Object.hasOwn(value, key)) {
      const name = typeof value === "function" ? value.name : `A value of type ${typeof value}`;
      throw new KvTierError("INVALID_STATE", `${name} has no ${decorator}: decorate the class to give it its name.`);
    }
    registry.register((Reflect.get(value, key) as ComponentMetadata).name, { value });
  }
}

const duplicate =
  (kind: string) =>
  (name: string, existing: string, added: string): KvTierError =>
    componentAlreadyRegistered(kind, name, existing, added);
