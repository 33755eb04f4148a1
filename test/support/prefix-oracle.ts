import { seededRandom } from "../../src/testing/seeded-random.js";

export interface RequestShape {
  readonly seed: number;
  readonly requests: number;
  readonly maxBlocks: number;
}

/** Requests that share prefixes as conversations do: each goes on from some earlier one, or from a shared start. */
export function sharedPrefixRequests({ seed, requests, maxBlocks }: RequestShape): number[][] {
  const random = seededRandom(seed);
  const below = (n: number): number => Math.floor(random() * n);
  let last = 0;
  const made: number[][] = [];
  while (made.length < requests) {
    const earlier =
      made.length === 0 || random() < 0.2 ? [] : (made[made.length - 1 - below(Math.min(12, made.length))] ?? []);
    const shared = earlier.slice(0, Math.min(maxBlocks - 1, below(earlier.length + 1)));
    const added = Array.from({ length: 1 + below(Math.min(6, maxBlocks - shared.length)) }, () => ++last);
    made.push([...shared, ...added]);
  }
  return made;
}

/** Hits of an LRU cache, by the plainest list there is: newest first, and of a request its head. */
export function lruPrefixHits(requests: readonly (readonly number[])[], capacity: number): number {
  let cached: number[] = [];
  let hits = 0;
  for (const ids of requests) {
    const miss = ids.findIndex((id) => !cached.includes(id));
    hits += miss === -1 ? ids.length : miss;
    cached = [...ids, ...cached.filter((id) => !ids.includes(id))].slice(0, capacity);
  }
  return hits;
}
