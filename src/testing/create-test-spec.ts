import type { OffloadingSpec } from "../contracts/offloading-spec.js";

/** A spec of a small pool (64 blocks of 256 bytes), with `overrides`. */
export function createTestSpec(overrides: Partial<OffloadingSpec> = {}): OffloadingSpec {
  return Object.freeze({
    specName: "TieringOffloadingSpec",
    model: {
      name: "test-model",
      dtype: "float16",
      revision: "",
      tokensPerBlock: 16,
      worldSize: 1,
      rank: 0,
      layout: "",
    },
    blockBytes: 256,
    numBlocks: 64,
    evictionPolicy: "lru",
    enableKvEvents: false,
    ...overrides,
  });
}
