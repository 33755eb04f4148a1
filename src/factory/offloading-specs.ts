import { inject, injectable } from "inversify";
import { createOffloadingSpec } from "../config/create-offloading-spec.js";
import type { TieringConfig } from "../config/tiering-config.js";
import type { EvictionPolicyName, ModelSpec, OffloadingSpec } from "../contracts/offloading-spec.js";
import { TOKENS } from "../tokens.js";

/** A primary pool with secondary tiers behind it. */
@injectable()
export class TieringOffloadingSpec implements OffloadingSpec {
  readonly specName: string;
  readonly model: ModelSpec;
  readonly blockBytes: number;
  readonly numBlocks: number;
  readonly evictionPolicy: EvictionPolicyName;
  readonly enableKvEvents: boolean;

  constructor(@inject(TOKENS.tieringConfig) config: TieringConfig) {
    const spec = createOffloadingSpec(config);
    this.specName = spec.specName;
    this.model = spec.model;
    this.blockBytes = spec.blockBytes;
    this.numBlocks = spec.numBlocks;
    this.evictionPolicy = spec.evictionPolicy;
    this.enableKvEvents = spec.enableKvEvents;
  }
}

/** A primary pool alone; a config with secondary tiers is refused for it. */
@injectable()
export class CPUOffloadingSpec extends TieringOffloadingSpec {}
