import type { TieringStats } from "../metrics/tiering-stats.js";
import { sampleColumns, type SampleColumns } from "./sample-columns.js";
import { HISTORY_SAMPLES, SAMPLE_INTERVAL_S, type Sampler } from "./sampler.js";

/** What `stats.json` answers: numbers, and the names of caches and tiers. */
export interface StatsReply {
  /** Another one than before: the server has started anew, and earlier samples do not go on. */
  readonly epoch: number;
  /** Number of the last sample; the next question's `since`. */
  readonly last: number;
  /** Seconds between two samples. */
  readonly intervalS: number;
  /** Samples that are worth keeping. */
  readonly historySamples: number;
  /** Whether a cache can be cleared by who knows the token. */
  readonly canClear: boolean;
  readonly caches: readonly CacheReply[];
}

export interface CacheReply {
  readonly name: string;
  /** Bytes of one block. */
  readonly blockBytes: number;
  /** Cumulative figures as of the last sample. */
  readonly stats: TieringStats;
  readonly samples: SampleColumns;
}

/** Which samples the page has already. */
export interface StatsQuestion {
  readonly epoch: number;
  readonly since: number;
}

/** @returns the samples that are new to who asks: all, when theirs are of another run */
export function statsReply(sampler: Sampler, asked: StatsQuestion, canClear: boolean): StatsReply {
  const isOfThisRun = asked.epoch === sampler.epoch && Number.isSafeInteger(asked.since);
  const since = isOfThisRun ? asked.since : 0;
  return {
    epoch: sampler.epoch,
    last: sampler.last,
    intervalS: SAMPLE_INTERVAL_S,
    historySamples: HISTORY_SAMPLES,
    canClear,
    caches: sampler.caches.map((cache) => ({
      name: cache.source.name,
      blockBytes: cache.source.blockBytes,
      stats: cache.stats,
      samples: sampleColumns(sampler.samplesSince(cache, since), cache.stats.tiers.length),
    })),
  };
}
