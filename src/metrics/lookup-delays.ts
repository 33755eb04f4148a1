import type { Clock } from "../contracts/clock.js";
import { LookupResult } from "../contracts/lookup-result.js";
import { BucketHistogram } from "./bucket-histogram.js";

/** Seconds; upstream's buckets. */
const SYNC_BOUNDS = [1e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 0.01, 0.05, 0.1, 0.5, 1];
const ASYNC_BOUNDS = [1e-4, 5e-4, 1e-3, 5e-3, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Of one request and key: since when, on the clock, a tier has not known, by the delays of that tier. */
export interface OpenRetries {
  retriedSince: Map<LookupDelays, number> | null;
}

/** How long the look-ups of one tier take, in seconds. */
export class LookupDelays {
  /** Of each call. */
  readonly sync = new BucketHistogram(SYNC_BOUNDS);
  /** From the first `Retry` that a request got for a key to the answer. */
  readonly async = new BucketHistogram(ASYNC_BOUNDS);

  /** Answers as `look` does. */
  time(clock: Clock, record: OpenRetries, look: () => LookupResult): LookupResult {
    const start = clock.now();
    const found = look();
    const now = clock.now();
    this.sync.observe(now - start);
    if (found === LookupResult.Retry) {
      record.retriedSince ??= new Map();
      if (!record.retriedSince.has(this)) record.retriedSince.set(this, start);
      return found;
    }
    const since = record.retriedSince?.get(this);
    if (since === undefined) return found;
    record.retriedSince?.delete(this);
    this.async.observe(now - since);
    return found;
  }
}
