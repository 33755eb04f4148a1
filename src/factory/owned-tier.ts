import type { SecondaryTierManager } from "../contracts/secondary-tier-manager.js";
import type { ResolutionScope } from "./resolution-scope.js";

/** A tier that the factory made, and what has to be let go of with it. */
export class OwnedTier {
  readonly tier: SecondaryTierManager;
  readonly #scope: ResolutionScope;
  #closing: Promise<void> | undefined;

  constructor(tier: SecondaryTierManager, scope: ResolutionScope) {
    this.tier = tier;
    this.#scope = scope;
  }

  /** Shuts the tier down, once however often it is called, and releases its child container either way. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await this.tier.shutdown?.();
    } finally {
      this.#scope.release();
    }
  }
}
