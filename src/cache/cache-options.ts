import type { TierFilter } from "../contracts/tier-filter.js";

export interface RequestOptions {
  /** Calls with one id belong to one request. Absent: a fresh one. */
  readonly requestId?: string;
  /** Engine-specific parameters, handed on to the tiers. */
  readonly kvTransferParams?: Readonly<Record<string, unknown>>;
}

export interface AcquireOptions extends RequestOptions {
  /** Gives up: the call rejects with `signal.reason`, and nothing stays pinned. */
  readonly signal?: AbortSignal;
  /**
   * Seconds after which the call resolves with the prefix that is held by then; 0 or less: at once. Absent or
   * `Infinity`: as long as the tiers take.
   */
  readonly deadlineS?: number;
  /** Which secondary tiers may serve the request. Absent: all. */
  readonly loadTierFilter?: TierFilter;
}

export interface DrainOptions {
  /** Seconds after which the call resolves whatever is still under way; 0 or less: at once. Absent: no deadline. */
  readonly deadlineS?: number;
}

export interface PutOptions extends RequestOptions {
  /** Gives up waiting for room: the call rejects with `signal.reason`, and nothing is stored by it. */
  readonly signal?: AbortSignal;
}
