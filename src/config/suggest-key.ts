import { createRequire } from "node:module";
import { snakeCase } from "./spelling.js";

/** Nobody mistypes a longer word, and the distance takes quadratic time. */
const MAX_LENGTH = 60;

/** Loaded by the first mistake, which most processes never see. */
let levenshtein: { distance(a: string, b: string): number } | undefined;

/** The one of `known` (snake_case) that `key`, in any spelling, is most likely a misspelling of, if any is close. */
export function suggestKey(key: string, known: Iterable<string>): string | undefined {
  return closestTo(snakeCase(key), known);
}

/** The one of `candidates` that `word` is a few slips away from: the closest, the first of equals. */
export function closestTo(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    const steps = slipsBetween(word, candidate);
    if (steps <= allowedSlips(candidate) && steps < bestDistance) {
      best = candidate;
      bestDistance = steps;
    }
  }
  return best;
}

/** By `require`, because a problem is reported at once, and `import()` is a promise. */
function slipsBetween(word: string, candidate: string): number {
  levenshtein ??= createRequire(import.meta.url)("fastest-levenshtein") as NonNullable<typeof levenshtein>;
  return levenshtein.distance(word, candidate);
}

/** One slip in a short word, two or three in a long one; of one or two letters everything is close to everything. */
function allowedSlips(candidate: string): number {
  return candidate.length < 3 ? 0 : Math.min(3, 1 + Math.floor(candidate.length / 6));
}
