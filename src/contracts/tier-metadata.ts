import type { Medium } from "./medium.js";

/** A constructor, also of an abstract class. */
export type AnyClass<T = unknown> = abstract new (...args: never[]) => T;
/** A constructor that can be called. */
export type Class<T = unknown> = new (...args: never[]) => T;

/**
 * How the raw options of a tier, detector or policy are read: into an instance of a class-validator class; as they are,
 * frozen (`"passthrough"`); or not at all (`null`: any key is an error).
 */
export type ConfigContract = Class | "passthrough" | null;

export interface ComponentMetadata {
  readonly name: string;
  readonly config: ConfigContract;
}

export interface TierMetadata extends ComponentMetadata {
  readonly medium: Medium | null;
}

/** Keys under which the decorators keep their metadata on a class; shared by every copy of the package. */
export const TIER_METADATA = Symbol.for("kvtier/tier");
export const DETECTOR_METADATA = Symbol.for("kvtier/detector");
export const POLICY_METADATA = Symbol.for("kvtier/policy");

/** Metadata that `@SecondaryTier` left on `target` itself or on its nearest decorated base, if any did. */
export const tierMetadataOf = (target: object): TierMetadata | undefined =>
  Reflect.get(target, TIER_METADATA) as TierMetadata | undefined;

/** As {@link tierMetadataOf}, for `@Detector`. */
export const detectorMetadataOf = (target: object): ComponentMetadata | undefined =>
  Reflect.get(target, DETECTOR_METADATA) as ComponentMetadata | undefined;

/** As {@link tierMetadataOf}, for `@Policy`. */
export const policyMetadataOf = (target: object): ComponentMetadata | undefined =>
  Reflect.get(target, POLICY_METADATA) as ComponentMetadata | undefined;
