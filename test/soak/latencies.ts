/** Between two buckets: a quantile is at most this much too high. */
const FACTOR = 1.02;
const SHORTEST_MS = 1e-3;
const BUCKETS = 1200;

/** Counts times in buckets, in memory that does not grow. */
export class Latencies {
  readonly #counts = new Uint32Array(BUCKETS);
  #total = 0;

  record(ms: number): void {
    const bucket = Math.log(Math.max(ms, SHORTEST_MS) / SHORTEST_MS) / Math.log(FACTOR);
    const at = Math.min(BUCKETS - 1, Math.ceil(bucket));
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#total++;
  }

  /** The time, in milliseconds, that a share `q` of all does not exceed; 0 when there are none. */
  quantile(q: number): number {
    let left = q * this.#total;
    const at = this.#counts.findIndex((count) => (left -= count) <= 0);
    return this.#total === 0 ? 0 : SHORTEST_MS * FACTOR ** at;
  }

  reset(): void {
    this.#counts.fill(0);
    this.#total = 0;
  }
}
