import type { Locality, Medium } from "./medium.js";

/** Matches a tier when each field is unset on either side, or equal. */
export interface TierMatcher {
  readonly medium?: Medium;
  readonly locality?: Locality;
}

/** What a filter looks at in a tier. */
export interface TierTraits {
  readonly medium?: Medium | null;
  readonly locality?: Locality | null;
}

/**
 * Which secondary tiers a request may load from: those that any matcher matches. No matcher at all allows none.
 * The primary pool is never filtered.
 */
export class TierFilter {
  /** Allows every tier. */
  static readonly ALL = new TierFilter([{}]);

  readonly #matchers: readonly TierMatcher[];

  constructor(matchers: readonly TierMatcher[]) {
    this.#matchers = matchers.map((matcher) => Object.freeze({ ...matcher }));
    Object.freeze(this);
  }

  allows(tier: TierTraits): boolean {
    return this.#matchers.some((matcher) => matches(matcher, tier));
  }
}

function matches(matcher: TierMatcher, tier: TierTraits): boolean {
  return fits(matcher.medium, tier.medium) && fits(matcher.locality, tier.locality);
}

function fits(wanted: string | null | undefined, actual: string | null | undefined): boolean {
  return wanted == null || actual == null || wanted === actual;
}
