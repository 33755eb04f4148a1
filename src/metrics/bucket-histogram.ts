/** How often a value was at most `bound`, smaller ones included; the last bound is infinite. */
export interface Bucket {
  readonly bound: number;
  readonly count: number;
}

/** Counts values by upper bounds that are given: the form in which histograms are exported. Cumulative. */
export class BucketHistogram {
  readonly #bounds: readonly number[];
  /** By bound, and one more for what is above them all. */
  readonly #counts: Float64Array;
  #sum = 0;

  /** @param bounds upper bounds, ascending and inclusive */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let i = 0;
    while (i < this.#bounds.length && value > (this.#bounds[i] ?? Infinity)) i++;
    this.#counts[i] = (this.#counts[i] ?? 0) + 1;
    this.#sum += value;
  }

  /** Of all values. */
  get sum(): number {
    return this.#sum;
  }

  get buckets(): Bucket[] {
    let count = 0;
    return Array.from(this.#counts, (more, i) => ({ bound: this.#bounds[i] ?? Infinity, count: (count += more) }));
  }
}
