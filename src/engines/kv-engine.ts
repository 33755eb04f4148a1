/**
 * An engine whose KV state of one sequence can be cut into blocks and put together again. A block is the state of
 * {@link tokensPerBlock} tokens in a row; it is valid only behind the same tokens at the same position, which is what
 * keys of chained hashes say.
 *
 * @typeParam Sequence what holds the state of one sequence in this engine
 */
export interface KvEngine<Sequence> {
  /**
   * Lower-case hex that differs wherever the bytes of a block would mean something else: another model, layout, element
   * type, way of attention, or number of tokens in a block. It is part of every key, so that such engines never share.
   */
  readonly fingerprint: string;
  /** Tokens in one block. */
  readonly tokensPerBlock: number;
  /** Bytes of one block: the `block_bytes` of the cache's config. */
  readonly blockBytes: number;

  /**
   * Takes the state of `sequence`, which is not to be evaluated meanwhile.
   *
   * @param tokens all that was evaluated onto the sequence since it was empty, restored tokens included, in order. The
   *   last one may not have been evaluated yet: engines hand out a token before they take it in.
   * @throws KvTierError `INVALID_STATE` when the state is not of these tokens, or not of a form that is known
   */
  split(sequence: Sequence, tokens: readonly number[]): Promise<SplitState>;

  /**
   * Replaces the state of `sequence` by that of `blocks`, which are only read, and not after the promise is settled.
   * When it rejects, the sequence is empty.
   *
   * @param tokens those of the blocks: `blocks.length * tokensPerBlock`
   * @param blocks a leading run of blocks, each of {@link blockBytes} bytes, verified by whoever hands them over
   * @throws KvTierError `INVALID_STATE` when blocks and tokens do not fit each other or the sequence, or the engine
   *   refuses them
   */
  join(sequence: Sequence, tokens: readonly number[], blocks: readonly Uint8Array[]): Promise<void>;

  /** Empties `sequence`. */
  clear(sequence: Sequence): Promise<void>;
}

/** The state of a sequence at one moment, from which blocks are copied. */
export interface SplitState {
  /** Number of full blocks. */
  readonly blocks: number;
  /** Copies block `index` into `slot`, which is of one block's bytes. */
  copyBlock(index: number, slot: Uint8Array): void;
}
