import type { OffloadKey } from "../contracts/offload-key.js";
import { KvTierError } from "../errors/kv-tier-error.js";

/**
 * Slots of the pool that are reserved for new blocks. Fill every view, then commit; until then nobody can read the
 * blocks, and readers of their keys wait. `blocks[i]` is the slot of `keys[i]`.
 */
export class StoreTicket {
  /** The keys to fill: those asked for that are neither resident nor being written, in the same order. */
  readonly keys: readonly OffloadKey[];
  #blocks: readonly Uint8Array[];
  #complete: ((success: boolean) => void) | undefined;

  constructor(keys: readonly OffloadKey[], blocks: readonly Uint8Array[], complete: (success: boolean) => void) {
    this.keys = keys;
    this.#blocks = blocks;
    this.#complete = complete;
  }

  /** Writable views of the pool. Empty once committed or aborted. */
  get blocks(): readonly Uint8Array[] {
    return this.#blocks;
  }

  /** Each key with the view to fill for it, in order. */
  *entries(): IterableIterator<[key: OffloadKey, slot: Uint8Array]> {
    for (const [i, slot] of this.blocks.entries()) {
      const key = this.keys[i];
      if (key !== undefined) yield [key, slot];
    }
  }

  /**
   * Makes the blocks readable, marks the request's keys as used and starts the cascade into the secondary tiers.
   *
   * @throws KvTierError `INVALID_STATE` when the ticket was committed or aborted before.
   */
  commit(): void {
    this.#finish(true);
  }

  /**
   * Gives the slots back; the blocks never become readable.
   *
   * @throws KvTierError `INVALID_STATE` when the ticket was committed or aborted before.
   */
  abort(): void {
    this.#finish(false);
  }

  /** Aborts, unless the ticket was committed or aborted. */
  [Symbol.dispose](): void {
    if (this.#complete !== undefined) this.abort();
  }

  #finish(success: boolean): void {
    const complete = this.#complete;
    if (complete === undefined) {
      throw new KvTierError("INVALID_STATE", "This ticket was committed or aborted already. Do either, exactly once.");
    }
    this.#complete = undefined;
    this.#blocks = [];
    complete(success);
  }
}
