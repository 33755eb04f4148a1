import { splitTierConfig, tierOptionsFor, type TierConfigParts } from "../../config/split-tier-config.js";
import { validateOptions } from "../../config/validate-options.js";
import type { Locality, Medium } from "../../contracts/medium.js";
import { tierMetadataOf } from "../../contracts/tier-metadata.js";
import type { Registries } from "../../factory/registries.js";
import { tierToken } from "../../tokens.js";
import { describeBackpressure, type BackpressureDescription } from "./describe-backpressure.js";
import { shownOptions, type ShownOptions } from "./shown-options.js";

/** What a config makes of one entry of `secondary_tiers`. */
export interface TierDescription {
  /** Position in `secondary_tiers`, from 0. */
  readonly index: number;
  readonly label: string;
  readonly type: string;
  /** The token that the tier is resolved by; `null` for one out of tree, which has none before it is imported. */
  readonly token: string | null;
  /** Name of the class; `null` when it is imported only when the tier is created. */
  readonly class: string | null;
  /** Module of a tier out of tree. */
  readonly module: string | null;
  readonly medium: Medium | null;
  readonly locality: Locality | null;
  /** With defaults, as far as they are known without the class. */
  readonly options: ShownOptions;
  readonly backpressure: BackpressureDescription | null;
}

/** @param config an entry that was found valid */
export function describeTier(config: unknown, index: number, registries: Registries): TierDescription {
  const parts = splitTierConfig(config, "");
  const type = parts.type ?? "";
  const target = registries.tiers.get(type)?.loaded;
  return {
    index,
    label: `${index + 1}:${type}`,
    type,
    token: target === undefined ? null : tierToken(type),
    class: target?.name ?? null,
    module: target === undefined ? (parts.modulePath ?? null) : null,
    medium: (target && tierMetadataOf(target)?.medium) ?? null,
    locality: parts.locality ?? null,
    options: optionsOf(parts, target),
    backpressure: parts.backpressure === undefined ? null : describeBackpressure(parts, registries),
  };
}

function optionsOf(parts: TierConfigParts, target: object | undefined): ShownOptions {
  const contract = target === undefined ? "passthrough" : (tierMetadataOf(target)?.config ?? null);
  return shownOptions(validateOptions(contract, tierOptionsFor(contract, parts), "").value);
}
