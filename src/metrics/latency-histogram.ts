import { createHistogram, type RecordableHistogram } from "node:perf_hooks";

/** Seconds; all zero before the first sample. */
export interface LatencySummary {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
}

const NANOSECONDS = 1e9;

/** Durations with about three significant digits, from a nanosecond to hours. */
export class LatencyHistogram {
  readonly #histogram: RecordableHistogram = createHistogram();

  /** @param seconds a duration; one that is not a positive number counts as the shortest */
  record(seconds: number): void {
    const nanoseconds = Math.round(seconds * NANOSECONDS);
    this.#histogram.record(nanoseconds >= 1 && Number.isSafeInteger(nanoseconds) ? nanoseconds : 1);
  }

  get summary(): LatencySummary {
    const count = this.#histogram.count;
    if (count === 0) return { count, p50: 0, p99: 0 };
    const at = (percentile: number): number => this.#histogram.percentile(percentile) / NANOSECONDS;
    return { count, p50: at(50), p99: at(99) };
  }
}
