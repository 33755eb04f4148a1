import type { TierFigures } from "../contracts/secondary-tier-manager.js";

/** The numbers of `figures`, which an application's tier made: what else may be in them is for nobody to see. */
export function numberFigures(figures: TierFigures | null | undefined): TierFigures {
  return Object.fromEntries(Object.entries(figures ?? {}).filter(([, value]) => typeof value === "number"));
}
