import type { SecondaryTierManager } from "../contracts/secondary-tier-manager.js";
import type { ResolutionScope } from "./resolution-scope.js";

/** A tier that the factory made, its life, and what has to be let go of with it. */
export class OwnedTier {
  readonly tier: SecondaryTierManager;
  readonly #scope: ResolutionScope;
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #isOpen = false;

  constructor(tier: SecondaryTierManager, scope: ResolutionScope) {
    this.tier = tier;
    this.#scope = scope;
  }

  /** Initialized, and not yet asked to close. */
  get isOpen(): boolean {
    return this.#isOpen && !this.isClosing;
  }

  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  /** Initializes the tier, once however often it is called. */
  open(): Promise<void> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Shuts the tier down, once however often it is called, and releases its child container either way. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Lets go of the child container alone: the tier is somebody else's. */
  release(): void {
    this.#scope.release();
  }

  async #open(): Promise<void> {
    // Still part of the creation: a tier that creates further tiers here is nested as one that does so when constructed.
    await this.#scope.run(async () => this.tier.initialize?.());
    this.#isOpen = true;
  }

  async #close(): Promise<void> {
    try {
      await this.tier.shutdown?.();
    } finally {
      this.#scope.release();
    }
  }
}
