import { configInvalid } from "../config/config-invalid.js";
import { joinPath } from "../config/config-path.js";
import { splitTierConfig } from "../config/split-tier-config.js";
import type { SecondaryTierManager } from "../contracts/secondary-tier-manager.js";
import type { AnyClass } from "../contracts/tier-metadata.js";
import { classErrorOf, closed, shutdownFailed, tierInitFailed, tierTypeMissing } from "../errors/factory-errors.js";
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
   * @throws KvTierError `TIER_TYPE_MISSING`, `TIER_TYPE_UNKNOWN`, a `MODULE_…` code, `EXPORT_MISSING` or `NOT_A_TIER`.
   */
  async getTierClass(config: TierConfig): Promise<AnyClass<SecondaryTierManager>> {
    const { type, modulePath } = partsOf(config, {});
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
    const parts = partsOf(config, placement);
    const owned = await this.#own(await this.#build(parts, placement));
    try {
      this.#assertOpen();
      await owned.open().catch((error: unknown) => {
        throw openingFailed(placement, parts.type, error);
      });
      // Closed meanwhile: nobody would close this one.
      this.#assertOpen();
    } catch (error) {
      // The first error is the one to report; a tier that is half open often cannot close cleanly either.
      await this.#disown(owned).catch(() => undefined);
      throw error;
    }
    return owned.tier;
  }

  /**
   * Shuts down one tier of this factory and forgets it; a tier that is not one, or no longer, is left alone.
   *
   * @throws whatever the tier's `shutdown` rejects with.
   */
  async closeTier(tier: SecondaryTierManager): Promise<void> {
    const owned = this.#owned.get(tier);
    if (owned !== undefined) await this.#disown(owned);
  }

  /**
   * Shuts down every tier of this factory that is still open, newest first, each of them even if others fail. One that
   * is being made is shut down as soon as it can be, and its `createSecondaryTier` rejects with `CLOSED`.
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
      if (owned.isOpen) await this.#disown(owned).catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw shutdownFailed("Secondary tiers", errors);
  }

  async #build(parts: TierParts, placement: TierPlacement): Promise<OwnedTier> {
    try {
      const located = await this.#locator.locate(parts.type, parts.modulePath, whereOf(placement));
      return await this.#builder.build(parts, located, placement);
    } catch (error) {
      throw classErrorOf(ownerOf(placement, parts.type), error);
    }
  }

  /** A token bound to an instance, or a singleton, delivers the same tier again: it is opened once and closed once. */
  async #own(made: OwnedTier): Promise<OwnedTier> {
    for (let earlier = this.#owned.get(made.tier); earlier !== undefined; earlier = this.#owned.get(made.tier)) {
      if (!earlier.isClosing) {
        made.release();
        return earlier;
      }
      await earlier.close().catch(() => undefined);
    }
    this.#owned.set(made.tier, made);
    return made;
  }

  /** Closes the tier and forgets it once that is done, so that who closes it meanwhile waits for the same. */
  async #disown(owned: OwnedTier): Promise<void> {
    try {
      await owned.close();
    } finally {
      if (this.#owned.get(owned.tier) === owned) this.#owned.delete(owned.tier);
    }
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw closed("The secondary tier factory");
  }
}

/** The config taken apart. Problems other than a missing type are reported with those of the options. */
function partsOf(config: TierConfig, placement: TierPlacement): TierParts {
  const parts = splitTierConfig(config, pathOf(placement));
  const { type } = parts;
  if (type === undefined) throw tierTypeMissing(whereOf(placement));
  return { ...parts, type };
}

/** What a tier finds wrong with its options only when it starts, as it depends on the pool, is told as any other such fault. */
function openingFailed(placement: TierPlacement, type: string, error: unknown): KvTierError {
  if (!KvTierError.is(error, "CONFIG_INVALID")) return tierInitFailed(ownerOf(placement, type), "initialize", error);
  return configInvalid(
    error.problems.map((problem) => ({ ...problem, path: joinPath(pathOf(placement), problem.path) })),
  );
}
