import type { DiskStatus } from "../keeper-tasks.js";

/** How much there may be below one root. */
export interface SpaceLimits {
  /** Bytes. */
  readonly maxBytes: number;
  /** Share of `maxBytes` down to which an eviction goes. */
  readonly lowWater: number;
}

/**
 * The bytes below one root, in counters alone: what the keeper has counted, what was stored since and it has not heard of,
 * and what stores under way may still write. It never says less than there is, as far as this process can know.
 */
export class Ledger {
  readonly #maxBytes: number;
  readonly #lowBytes: number;
  #counted = 0;
  #isCounted = false;
  #untold = 0;
  #reserved = 0;

  constructor({ maxBytes, lowWater }: SpaceLimits) {
    this.#maxBytes = maxBytes;
    this.#lowBytes = maxBytes * lowWater;
  }

  /** Bytes that there may be. */
  get max(): number {
    return this.#maxBytes;
  }

  /** Bytes of files of ours, as far as it is known. */
  get used(): number {
    return this.#counted + this.#untold;
  }

  /** Bytes that stores under way may still need. */
  get reserved(): number {
    return this.#reserved;
  }

  /** Whether what was there before this process is in `used`. */
  get isCounted(): boolean {
    return this.#isCounted;
  }

  /** Bytes that may still be reserved; negative when there is too much. */
  get free(): number {
    return this.#maxBytes - this.used - this.#reserved;
  }

  /** Bytes to evict so that `bytes` can be reserved, and the next stores need not evict again; 0 when they fit. */
  lackingFor(bytes: number): number {
    return bytes <= this.free ? 0 : Math.max(bytes - this.free, this.used - this.#lowBytes);
  }

  /** Bytes above what is allowed. */
  get excess(): number {
    return Math.max(0, this.used - this.#maxBytes);
  }

  /** Bytes above the low mark, once there is too much. */
  get overshoot(): number {
    return this.excess === 0 ? 0 : this.used - this.#lowBytes;
  }

  reserve(bytes: number): void {
    this.#reserved += bytes;
  }

  /** A reservation ends: of its `bytes`, `stored` are on the disk now. */
  settle(bytes: number, stored: number): void {
    this.#reserved -= bytes;
    this.#untold += stored;
  }

  /** The keeper's answer, which covers `told` of the bytes that were stored since its last one. */
  confirm({ used, isCounted }: DiskStatus, told = 0): void {
    this.#counted = used;
    this.#isCounted = isCounted;
    this.#untold -= told;
  }
}
