import type { TierConfigParts } from "../config/split-tier-config.js";

/** A tier config that has been taken apart. */
export type TierParts = TierConfigParts & { readonly type: string };

/** Where a tier stands, when it is one of several. */
export interface TierPlacement {
  /** Position in `secondary_tiers`, from 0; named in errors. */
  readonly index?: number;
  /** What the tier's `context.notify()` calls. */
  readonly notify?: () => void;
}

/** The tier's config as a path, the root of the paths of its problems. */
export const pathOf = ({ index }: TierPlacement): string => (index === undefined ? "" : `secondary_tiers[${index}]`);

/** The tier's config as the subject of a sentence. */
export const whereOf = (placement: TierPlacement): string => pathOf(placement) || "The tier config";

/** The tier as the subject of a sentence: `secondary_tiers[2] ('fs')`. */
export const ownerOf = (placement: TierPlacement, type: string): string =>
  placement.index === undefined ? `Secondary tier '${type}'` : `${pathOf(placement)} ('${type}')`;
