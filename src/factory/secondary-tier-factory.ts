import { configInvalid } from "../config/config-invalid.js";
import { splitTierConfig } from "../config/split-tier-config.js";
import type { SecondaryTierManager } from "../contracts/secondary-tier-manager.js";
import type { AnyClass } from "../contracts/tier-metadata.js";
import { closed, shutdownFailed, tierInitFailed, tierTypeMissing } from "../errors/factory-errors.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import type { OwnedTier } from "./owned-tier.js";
import type { TierBuilder } from "./tier-builder.js";
import type { TierLocator } from "./tier-locator.js";
import { ownerOf, pathOf, whereOf, type TierParts, type TierPlacement } from "./tier-placement.js";

type TierConfig = Readonly<Record<string, unknown>>;

/** Makes secondary tiers from their configs, one child container each, and closes what it made. */
export class SecondaryTierFactory {
  readonly #locator: TierLocator;
  readonly #builder: TierBuilder;
  readonly #owned = new Map<SecondaryTierManager, OwnedTier>();
  #closing: Promise<void> | undefined;

  constructor(locator: TierLocator, builder: TierBuilder) {
    this.#locator = locator;
    this.#builder = builder;
  }

  /**
   * Registers `type` as the export `className` of `modulePath`. Nothing is imported before the type is first used.
   *
   * @throws KvTierError `TIER_ALREADY_REGISTERED`, naming both sources.
   */
  registerTier(type: string, modulePath: string, className: string): void {
    this.#locator.register(type, modulePath, className);
  }

  /** The built-in and registered types. */
  supportedTypes(): string[] {
    return this.#locator.types();
  }

  /**
   * The class that is registered for the config's `type`, or the export of that name of its `module_path`.
   *
   * @throws KvTierError `TIER_TYPE_MISSING`, `TIER_TYPE_UNKNOWN`, `CONFIG_INVALID`, a `MODULE_…` code,
   *   `EXPORT_MISSING` or `NOT_A_TIER`.
   */
  async getTierClass(config: TierConfig): Promise<AnyClass<SecondaryTierManager>> {
    const { type, modulePath } = splitOrThrow(config, {});
    return (await this.#locator.classOf(type, modulePath, whereOf({}))) as AnyClass<SecondaryTierManager>;
  }

  /**
   * Makes and initializes the tier that `config` describes. The caller's object is never changed or kept.
   *
   * @throws KvTierError what {@link getTierClass} throws; for the backpressure block `BACKPRESSURE_CLS_MISSING`,
   *   `DETECTOR_UNKNOWN`, `POLICY_UNKNOWN`, `NOT_A_DETECTOR` or `NOT_A_POLICY`; `CONFIG_INVALID` with every problem of
   *   the options; `TIER_INIT_FAILED` when construction, injection or `initialize` failed; `CLOSED` after `close`.
   */
  async createSecondaryTier(config: TierConfig, placement: TierPlacement = {}): Promise<SecondaryTierManager> {
    this.#assertOpen();
    const parts = splitOrThrow(config, placement);
    const located = await this.#locator.locate(parts.type, parts.modulePath, whereOf(placement));
    const owned = await this.#builder.build(parts, located, placement);
    await this.#initialize(owned, ownerOf(placement, parts.type));
    this.#owned.set(owned.tier, owned);
    return owned.tier;
  }

  /**
   * Shuts down one tier of this factory, once however often it is called.
   *
   * @throws whatever the tier's `shutdown` rejects with.
   */
  async closeTier(tier: SecondaryTierManager): Promise<void> {
    await this.#owned.get(tier)?.close();
  }

  /**
   * Shuts down every tier of this factory that is still open, newest first, each of them even if others fail.
   *
   * @throws KvTierError `SHUTDOWN_FAILED` with all errors; a second call changes nothing and does not throw.
   */
  async close(): Promise<void> {
    if (this.#closing !== undefined) {
      await this.#closing.catch(() => undefined);
      return;
    }
    this.#closing = this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    const errors: unknown[] = [];
    for (const owned of [...this.#owned.values()].reverse()) {
      await owned.close().catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw shutdownFailed("Secondary tiers", errors);
  }

  async #initialize(owned: OwnedTier, owner: string): Promise<void> {
    try {
      await owned.tier.initialize?.();
      this.#assertOpen();
    } catch (error) {
      // The first error is the one to report; a tier that is half open often cannot close cleanly either.
      await owned.close().catch(() => undefined);
      throw passesThrough(error) ? error : tierInitFailed(owner, "initialize", error);
    }
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw closed("The secondary tier factory");
  }
}

/** Errors that say it all already, and whose code callers look for. */
const passesThrough = (error: unknown): boolean =>
  KvTierError.is(error, "CLOSED") || KvTierError.is(error, "PEER_DEPENDENCY_MISSING");

function splitOrThrow(config: TierConfig, placement: TierPlacement): TierParts {
  const parts = splitTierConfig(config, pathOf(placement));
  const { type, problems } = parts;
  if (type === undefined) throw tierTypeMissing(whereOf(placement));
  if (problems.length > 0) throw configInvalid(problems);
  return { ...parts, type };
}
