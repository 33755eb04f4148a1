import type { OffloadingSpec } from "../contracts/offloading-spec.js";
import type { TieringConfig } from "./tiering-config.js";

/** What is offloaded and into what pool, from a checked config. */
export function createOffloadingSpec(config: TieringConfig): OffloadingSpec {
  return Object.freeze({
    specName: config.specName,
    model: Object.freeze({ ...config.model }),
    blockBytes: config.blockBytes,
    numBlocks: config.numBlocks,
    evictionPolicy: config.evictionPolicy,
    enableKvEvents: config.enableKvCacheEvents,
  });
}
