import type { Clock } from "../contracts/clock.js";
import type { Logger } from "../contracts/logger.js";
import { reasonOf } from "../errors/factory-errors.js";
import type { TieringStats } from "../metrics/tiering-stats.js";
import type { DashboardSource } from "./dashboard-source.js";
import { sampleOf, type CacheSample } from "./sample.js";

/** Seconds between two samples. */
export const SAMPLE_INTERVAL_S = 1;
/** Samples that are kept: ten minutes, so that a page which is opened late shows what led there. */
export const HISTORY_SAMPLES = 600;

/** What is kept of one cache. */
export interface SampledCache {
  readonly source: DashboardSource;
  /** As of the last sample. */
  stats: TieringStats;
  /** The oldest first; those of all caches are of the same moments. */
  readonly samples: CacheSample[];
}

/** Looks at the caches once a second, whether anybody watches or not, and keeps the last ten minutes. */
export class Sampler {
  /** When the sampling began: tells the samples of one run from those of another. */
  readonly epoch: number;
  readonly caches: readonly SampledCache[];
  readonly #clock: Clock;
  readonly #logger: Logger;
  #sampledAt: number;
  #count = 0;
  #hasFailed = false;
  #cancel: () => void = () => {};

  constructor(sources: readonly DashboardSource[], clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
    this.epoch = clock.now();
    this.#sampledAt = this.epoch;
    this.caches = sources.map((source) => ({ source, stats: source.stats(), samples: [] }));
    this.#wait();
  }

  /** Number of the last sample, from 1; 0 before the first. */
  get last(): number {
    return this.#count;
  }

  /** Samples of `cache` after number `since`, as far as they are kept. */
  samplesSince(cache: SampledCache, since: number): readonly CacheSample[] {
    const wanted = Math.min(this.#count - since, cache.samples.length);
    return wanted <= 0 ? [] : cache.samples.slice(-wanted);
  }

  /** Takes no more samples. Idempotent. */
  close(): void {
    this.#cancel();
  }

  #wait(): void {
    this.#cancel = this.#clock.after(SAMPLE_INTERVAL_S, () => {
      this.#wait();
      this.#guardedTake();
    });
  }

  /** A timer that throws would end the application, which matters more than a sample. */
  #guardedTake(): void {
    try {
      this.#take();
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#logger.error("The dashboard gets no figures", { error: reasonOf(error) });
      this.#hasFailed = true;
    }
  }

  #take(): void {
    const now = this.#clock.now();
    const taken = this.caches.map(({ source }) => source.stats());
    for (const [i, cache] of this.caches.entries()) {
      const stats = taken[i] ?? cache.stats;
      cache.samples.push(sampleOf(stats, cache.stats, now - this.#sampledAt));
      if (cache.samples.length > HISTORY_SAMPLES) cache.samples.shift();
      cache.stats = stats;
    }
    this.#sampledAt = now;
    this.#count++;
  }
}
