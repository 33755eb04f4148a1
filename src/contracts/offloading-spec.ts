/** Everything about the model that changes the bytes of a block. Every field is part of the storage namespace. */
export interface ModelSpec {
  readonly name: string;
  /** Element type of the KV cache, such as `float16`. */
  readonly dtype: string;
  /** Weights revision or fingerprint; `""` when there is only one. */
  readonly revision: string;
  readonly tokensPerBlock: number;
  /** Tensor-parallel world size and this process's rank in it. */
  readonly worldSize: number;
  readonly rank: number;
  /** Whatever else fixes the byte layout of a block: cache types, attention layout; `""` when there is only one. */
  readonly layout: string;
}

export type EvictionPolicyName = "lru" | "arc";

/** What is offloaded and into what pool. */
export interface OffloadingSpec {
  readonly specName: string;
  readonly model: ModelSpec;
  /** Bytes of one block; the stride of the primary pool. */
  readonly blockBytes: number;
  /** Blocks in the primary pool. */
  readonly numBlocks: number;
  readonly evictionPolicy: EvictionPolicyName;
  /** Whether block events are recorded at all. */
  readonly enableKvEvents: boolean;
}
