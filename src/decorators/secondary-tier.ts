import type { Medium } from "../contracts/medium.js";
import { TIER_METADATA, type AnyClass, type TierMetadata } from "../contracts/tier-metadata.js";
import { decorateComponent, type ComponentOptions } from "./decorate-component.js";

export interface SecondaryTierOptions extends ComponentOptions {
  /** Where the tier keeps its blocks; absent: any medium a request asks for. */
  readonly medium?: Medium;
}

/**
 * Declares a secondary tier: injectable, known as `type`, with its options read as `options.config` says.
 * The class extends `BlockStoreTier` or `SecondaryTierManager`; without a constructor it inherits their injection.
 *
 * @throws KvTierError `INVALID_STATE` when `@injectable()` stands on the class too.
 */
export function SecondaryTier(type: string, options: SecondaryTierOptions = {}) {
  return (target: AnyClass): void => {
    const metadata: TierMetadata = { name: type, config: options.config ?? null, medium: options.medium ?? null };
    decorateComponent("@SecondaryTier", TIER_METADATA, target, metadata);
  };
}
