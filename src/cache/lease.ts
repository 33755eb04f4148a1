import { KvTierError } from "../errors/kv-tier-error.js";

/** What a lease holds. `blocks[i]` and `sources[i]` belong to the `i`-th key that was asked for. */
export interface LeasedPrefix {
  readonly blocks: readonly Uint8Array[];
  readonly sources: readonly string[];
}

/**
 * The longest prefix of the keys that could be had, pinned in the primary pool until `release`. The blocks are views of
 * the pool: read them only while the lease is held, and do not write to them.
 */
export class Lease {
  /** Which tier served each block: `0:primary`, or the label of the secondary tier it was promoted from. */
  readonly sources: readonly string[];
  /** Number of leading keys that are held. */
  readonly hits: number;
  #blocks: readonly Uint8Array[];
  #release: (() => void) | undefined;

  constructor(prefix: LeasedPrefix, release: () => void) {
    this.#blocks = prefix.blocks;
    this.sources = prefix.sources;
    this.hits = prefix.blocks.length;
    this.#release = release;
  }

  /** Views of the pool, in key order. Empty once released. */
  get blocks(): readonly Uint8Array[] {
    return this.#blocks;
  }

  /**
   * Unpins the blocks and marks them as used, the head of the prefix most recently.
   *
   * @throws KvTierError `INVALID_STATE` when the lease was released before.
   */
  release(): void {
    const release = this.#release;
    if (release === undefined) {
      throw new KvTierError("INVALID_STATE", "This lease was released already. Release a lease exactly once.");
    }
    this.#release = undefined;
    this.#blocks = [];
    release();
  }

  /** Releases, unless the lease was released. */
  [Symbol.dispose](): void {
    if (this.#release !== undefined) this.release();
  }
}
