import type { ComponentContract, ConfigCatalog, DetectorContract } from "../config/config-catalog.js";
import { detectorMetadataOf, policyMetadataOf, tierMetadataOf } from "../contracts/tier-metadata.js";
import type { AnyClass, ComponentMetadata } from "../contracts/tier-metadata.js";
import { detectorToken, policyToken, specToken, tierToken } from "../tokens.js";
import { defaultsOf } from "./backpressure-factory.js";
import { DEFAULT_POLICY } from "./builtins.js";
import type { ClassRegistry } from "./class-registry.js";
import type { Registries } from "./registries.js";

/**
 * What a config may name: the registered classes, and tokens that are bound without one.
 *
 * @param isBound whether a token has a binding of its own
 */
export function catalogOf(registries: Registries, isBound: (token: string) => boolean): ConfigCatalog {
  const { tiers, detectors, policies, specs } = registries;
  return {
    tier: (type) => contractOf(tiers, type, tierMetadataOf),
    isKnownType: (type) => tiers.get(type) !== undefined || isBound(tierToken(type)),
    tierTypes: () => tiers.names(),
    detector: (name) => {
      const contract = contractOf(detectors, name, detectorMetadataOf) ?? unregistered(isBound(detectorToken(name)));
      return contract && withDefaults(contract, detectors.get(name)?.loaded);
    },
    detectorNames: () => detectors.names(),
    policy: (name) => contractOf(policies, name, policyMetadataOf) ?? unregistered(isBound(policyToken(name))),
    policyNames: () => policies.names(),
    defaultPolicy: DEFAULT_POLICY,
    isKnownSpec: (name) => specs.get(name) !== undefined || isBound(specToken(name)),
    specNames: () => specs.names(),
  };
}

function contractOf(
  registry: ClassRegistry,
  name: string,
  metadataOf: (target: object) => ComponentMetadata | undefined,
): ComponentContract | undefined {
  const target = registry.get(name)?.loaded;
  return target && { config: metadataOf(target)?.config ?? null };
}

/** A token bound by hand declares no options: it gets them as they are. */
const unregistered = (isBound: boolean): ComponentContract | undefined =>
  isBound ? { config: "passthrough" } : undefined;

const withDefaults = (contract: ComponentContract, target: AnyClass | undefined): DetectorContract => ({
  ...contract,
  defaults: (tierType, locality) => defaultsOf(target, tierType, locality ?? null),
});
