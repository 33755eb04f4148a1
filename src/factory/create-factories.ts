import type { ModuleImporter } from "../contracts/module-importer.js";
import { detectorMetadataOf, policyMetadataOf } from "../contracts/tier-metadata.js";
import { detectorToken, policyToken, TOKENS } from "../tokens.js";
import { BackpressureFactory } from "./backpressure-factory.js";
import { ComponentLocator, type ComponentKind } from "./component-locator.js";
import { DETECTOR_SHAPE, POLICY_SHAPE } from "./component-shape.js";
import { LoadedClasses } from "./loaded-classes.js";
import { ModuleLoader } from "./module-loader.js";
import { OffloadingSpecFactory } from "./offloading-spec-factory.js";
import type { Registries } from "./registries.js";
import type { Resolver } from "./resolver.js";
import { SecondaryTierFactory } from "./secondary-tier-factory.js";
import { TierBuilder } from "./tier-builder.js";
import { TierLocator } from "./tier-locator.js";

export interface Factories {
  readonly tierFactory: SecondaryTierFactory;
  readonly specFactory: OffloadingSpecFactory;
}

const DETECTORS: ComponentKind = {
  label: "detector",
  unknownCode: "DETECTOR_UNKNOWN",
  shape: DETECTOR_SHAPE,
  token: detectorToken,
  metadataOf: detectorMetadataOf,
};

const POLICIES: ComponentKind = {
  label: "policy",
  unknownCode: "POLICY_UNKNOWN",
  shape: POLICY_SHAPE,
  token: policyToken,
  metadataOf: policyMetadataOf,
};

/** Wires the two factories of a container module to the container it is loaded into. */
export function createFactories(resolver: Resolver, registries: Registries, resolveFrom: string): Factories {
  const loader = new ModuleLoader(resolveFrom, () => resolver.getAsync<ModuleImporter>(TOKENS.importer));
  const shared = { resolver, loader, loadedClasses: new LoadedClasses(resolver) };
  const backpressure = new BackpressureFactory(
    resolver,
    new ComponentLocator(DETECTORS, { ...shared, registry: registries.detectors }),
    new ComponentLocator(POLICIES, { ...shared, registry: registries.policies }),
  );
  return {
    tierFactory: new SecondaryTierFactory(
      new TierLocator({ ...shared, registry: registries.tiers }),
      new TierBuilder(resolver, backpressure),
    ),
    specFactory: new OffloadingSpecFactory({ ...shared, registry: registries.specs }),
  };
}
