import { closestTo } from "./suggest-key.js";

/** A name of which less is left is no abbreviation of another. */
const MIN_SHARED_LETTERS = 2;
const MIN_SHARE = 1 / 3;

/**
 * The one of `known` that `written` most likely means, if any: a few slips away, or written with letters left out or
 * added, as `DropPolicy` for `DropStorePolicy` and `fss` for `fs`. Letter case plays no part.
 */
export function suggestName(written: string, known: readonly string[]): string | undefined {
  const lower = written.toLowerCase();
  const byLowerCase = new Map(known.map((name) => [name.toLowerCase(), name]));
  const closest = closestTo(lower, byLowerCase.keys()) ?? nearestAbbreviation(lower, [...byLowerCase.keys()]);
  return closest === undefined ? undefined : byLowerCase.get(closest);
}

/** ` Did you mean fs?`, to follow the sentence that calls `written` unknown; empty when nothing is like it. */
export function didYouMean(written: string, known: readonly string[]): string {
  const suggestion = suggestName(written, known);
  return suggestion === undefined ? "" : ` Did you mean ${suggestion}?`;
}

function nearestAbbreviation(written: string, candidates: readonly string[]): string | undefined {
  return candidates
    .filter((candidate) => isAbbreviation(written, candidate) || isAbbreviation(candidate, written))
    .sort((a, b) => Math.abs(a.length - written.length) - Math.abs(b.length - written.length))[0];
}

/** Whether `short` is `long` with letters left out, and not too many of them. */
function isAbbreviation(short: string, long: string): boolean {
  if (short.length < MIN_SHARED_LETTERS || short.length < long.length * MIN_SHARE) return false;
  let matched = 0;
  for (const letter of long) if (letter === short[matched]) matched++;
  return matched === short.length;
}
