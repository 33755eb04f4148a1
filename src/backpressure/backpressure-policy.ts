import { inject, injectable } from "inversify";
import type { DroppedStores, StoreDetector, StorePolicy } from "../contracts/backpressure.js";
import { TOKENS } from "../tokens.js";

/**
 * Base of every policy: decides which stores go ahead under pressure. A policy sees a detector only through its public
 * interface, so that any policy works with any detector. This base counts what was dropped.
 *
 * A subclass without a constructor inherits this one; declare it with `@Policy`.
 */
@injectable()
export abstract class BackpressurePolicy<TConfig = unknown> implements StorePolicy {
  protected readonly config: TConfig;
  #stores = 0;
  #blocks = 0;

  constructor(@inject(TOKENS.policyConfig) config: TConfig) {
    this.config = config;
  }

  /** Whether the next store may go ahead. Called once per store: a policy that thins out may count the calls. */
  abstract shouldStore(detector: StoreDetector): boolean;

  /** Counts one dropped store of `blocks` blocks; the detector calls it with each refusal. */
  onStoreSkipped(blocks: number): void {
    this.#stores += 1;
    this.#blocks += blocks;
  }

  popStoresDropped(): DroppedStores {
    const dropped = { stores: this.#stores, blocks: this.#blocks };
    this.#stores = 0;
    this.#blocks = 0;
    return dropped;
  }

  /** Back to the state after construction; counts that were not popped are lost. A subclass with state calls `super`. */
  reset(): void {
    this.#stores = 0;
    this.#blocks = 0;
  }
}
