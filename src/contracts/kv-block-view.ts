/** One stretch of memory that holds whole blocks, from its own offset on. */
export interface KvSlab {
  readonly buffer: ArrayBufferLike;
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** Where a block lies: in which slab, and at which offset of that slab's `buffer`. */
export interface BlockLocation {
  readonly slab: number;
  readonly byteOffset: number;
}

/** The memory of the primary pool, as tiers see it. Slots, never keys: which block is in a slot is not known here. */
export interface KvBlockView {
  readonly numBlocks: number;
  /** Bytes of one block. */
  readonly blockBytes: number;
  /** The memory itself, to be handed to worker threads. */
  readonly slabs: readonly KvSlab[];
  /** Whether worker threads can reach the memory directly (every slab is shared). */
  readonly isShared: boolean;
  /**
   * The bytes of slot `blockId`, a view and never a copy. Valid to touch only while a pin on the slot is held.
   *
   * @throws KvTierError `INVALID_STATE` when there is no such slot.
   */
  block(blockId: number): Uint8Array;
  /** @throws KvTierError `INVALID_STATE` when there is no such slot. */
  locate(blockId: number): BlockLocation;
}
