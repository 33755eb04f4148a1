import { inject, injectable } from "inversify";
import type { StoreDetector, StorePolicy } from "../contracts/backpressure.js";
import type { Clock } from "../contracts/clock.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { TOKENS } from "../tokens.js";

/** What a detector's defaults may depend on, besides the tier's type. */
export interface DetectorDefaultsOptions {
  /** The tier's locality in any letter case; absent or `null` when not configured. */
  readonly locality?: string | null;
}

/**
 * Base of every detector: watches how one tier's stores fare and says whether the tier is under pressure. What to do
 * about that is the policy's business.
 *
 * A subclass implements `onStoreCompleted`, `isUnderPressure` and `reset`; without a constructor it inherits this one.
 * Declare it with `@Detector`.
 */
@injectable()
export abstract class BackpressureDetector<TConfig = unknown> implements StoreDetector {
  protected readonly config: TConfig;
  readonly policy: StorePolicy;
  protected readonly clock: Clock;

  constructor(
    @inject(TOKENS.detectorConfig) config: TConfig,
    @inject(TOKENS.backpressurePolicy) policy: StorePolicy,
    @inject(TOKENS.clock) clock: Clock,
  ) {
    // A subclass without the decorator resolves with no arguments at all, and would fail far from here.
    if ((policy as unknown) === undefined || (clock as unknown) === undefined) {
      throw constructedBare(this.constructor.name);
    }
    this.config = config;
    this.policy = policy;
    this.clock = clock;
  }

  /**
   * Options for a tier of this type, in snake_case; they fill only the keys that the user left out. `null`: there are
   * none beyond those of the config class.
   */
  static defaultConfig(_tierType: string, _options: DetectorDefaultsOptions): Record<string, unknown> | null {
    return null;
  }

  abstract isUnderPressure(): boolean;

  isHealthy(): boolean {
    return !this.isUnderPressure();
  }

  overshoot(): number {
    return this.isUnderPressure() ? 1 : 0;
  }

  shouldStore(blocks: number): boolean {
    return this.policy.shouldStore(this) || this.refuse(blocks);
  }

  update(submitTime: number, bytes: number): void {
    if (bytes > 0) this.onStoreCompleted(this.clock.now() - submitTime, bytes);
  }

  abstract onStoreCompleted(elapsedS: number, bytes: number): void;

  onStoreFailed(): void {}

  /** Forgets all that was measured; resets the policy too. */
  abstract reset(): void;

  get stats(): Readonly<Record<string, number>> {
    return {};
  }

  /** Counts a store of `blocks` blocks as dropped. */
  protected refuse(blocks: number): false {
    this.policy.onStoreSkipped(blocks);
    return false;
  }
}

function constructedBare(className: string): KvTierError {
  return new KvTierError(
    "INVALID_STATE",
    `${className} was constructed without its config, policy and clock. Decorate the class with @Detector, which ` +
      "injects them, or pass them to super().",
  );
}
