import type { Locality } from "../contracts/medium.js";
import type { ConfigContract } from "../contracts/tier-metadata.js";

/** How the options of a registered tier or policy are read. */
export interface ComponentContract {
  readonly config: ConfigContract;
}

export interface DetectorContract extends ComponentContract {
  /** The detector's defaults for a tier, in either spelling; nothing when it has none. */
  defaults(tierType: string, locality: Locality | undefined): Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * What is registered, as far as reading a config needs to know. Names are looked up exactly: `constructor` is as unknown
 * as any other name that nobody registered.
 */
export interface ConfigCatalog {
  /** The contract of a tier type; `undefined` when unknown, or not known before its module is imported. */
  tier(type: string): ComponentContract | undefined;
  /** Whether `type` is registered at all, also when its module is imported only on use. */
  isKnownType(type: string): boolean;
  tierTypes(): readonly string[];
  detector(name: string): DetectorContract | undefined;
  detectorNames(): readonly string[];
  policy(name: string): ComponentContract | undefined;
  policyNames(): readonly string[];
  /** The policy of a detector that is given none. */
  readonly defaultPolicy: string;
  isKnownSpec(name: string): boolean;
  specNames(): readonly string[];
}
