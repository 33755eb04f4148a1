import { inject, injectable, injectFromBase } from "inversify";
import { createOffloadingSpec } from "../config/create-offloading-spec.js";
import type { TieringConfig } from "../config/tiering-config.js";
import type { EvictionPolicyName, ModelSpec, OffloadingSpec } from "../contracts/offloading-spec.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { TOKENS } from "../tokens.js";

/** A primary pool with secondary tiers behind it. A subclass without a constructor needs `@injectFromBase()`. */
@injectable()
export class TieringOffloadingSpec implements OffloadingSpec {
  readonly specName: string;
  readonly model: ModelSpec;
  readonly blockBytes: number;
  readonly numBlocks: number;
  readonly evictionPolicy: EvictionPolicyName;
  readonly enableKvEvents: boolean;

  constructor(@inject(TOKENS.tieringConfig) config: TieringConfig) {
    // inversify gives a class without a constructor no arguments unless it is told to, and says nothing.
    if ((config as unknown) === undefined) throw constructedBare(this.constructor.name);
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
@injectFromBase()
@injectable()
export class CPUOffloadingSpec extends TieringOffloadingSpec {}

function constructedBare(className: string): KvTierError {
  return new KvTierError(
    "INVALID_STATE",
    `${className} was constructed without its config. Put inversify's @injectFromBase() and @injectable() on the class, ` +
      "or pass the config to super().",
  );
}
