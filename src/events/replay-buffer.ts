/** A batch that was sent. */
export interface SentBatch {
  readonly sequence: bigint;
  readonly payload: Uint8Array;
}

/** The batches that were sent last. */
export class ReplayBuffer {
  readonly #capacity: number;
  readonly #batches: SentBatch[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(batch: SentBatch): void {
    this.#batches.push(batch);
    if (this.#batches.length > this.#capacity) this.#batches.shift();
  }

  /** Those with `start` and higher numbers, in order. */
  from(start: bigint): SentBatch[] {
    return this.#batches.filter(({ sequence }) => sequence >= start);
  }
}
