import { configInvalid } from "../config/config-invalid.js";
import { COMMON_TIER_KEYS, tierOptionsFor } from "../config/split-tier-config.js";
import { validateOptions } from "../config/validate-options.js";
import type { StoreDetector } from "../contracts/backpressure.js";
import type { Clock } from "../contracts/clock.js";
import type { KvBlockView } from "../contracts/kv-block-view.js";
import type { Logger } from "../contracts/logger.js";
import type { OffloadingSpec } from "../contracts/offloading-spec.js";
import type { SecondaryTierManager } from "../contracts/secondary-tier-manager.js";
import type { TierContext } from "../contracts/tier-context.js";
import { resolutionOverflow, tierInitFailed } from "../errors/factory-errors.js";
import { TOKENS } from "../tokens.js";
import type { BackpressureFactory } from "./backpressure-factory.js";
import type { Located } from "./component-locator.js";
import { assertInstance, TIER_SHAPE } from "./component-shape.js";
import { OwnedTier } from "./owned-tier.js";
import { ResolutionScope } from "./resolution-scope.js";
import type { Resolver } from "./resolver.js";
import { ownerOf, pathOf, type TierParts, type TierPlacement } from "./tier-placement.js";

/** Constructs one tier in a child container of its own: detector first, then options, then the tier itself. */
export class TierBuilder {
  readonly #resolver: Resolver;
  readonly #backpressure: BackpressureFactory;

  constructor(resolver: Resolver, backpressure: BackpressureFactory) {
    this.#resolver = resolver;
    this.#backpressure = backpressure;
  }

  /** The tier, not yet initialized. On an error nothing is left behind. */
  async build(parts: TierParts, located: Located, placement: TierPlacement): Promise<OwnedTier> {
    const scope = new ResolutionScope(ownerOf(placement, parts.type));
    try {
      const detector = await this.#createDetector(parts, placement, scope);
      const context = this.#createContext(parts, located, detector, placement);
      return new OwnedTier(await this.#construct(located, context, scope), scope);
    } catch (error) {
      scope.release();
      throw error;
    }
  }

  async #createDetector(
    { type, locality, backpressure }: TierParts,
    placement: TierPlacement,
    scope: ResolutionScope,
  ): Promise<StoreDetector | null> {
    if (backpressure === undefined) return null;
    const path = [pathOf(placement), "backpressure"].filter(Boolean).join(".");
    return this.#backpressure.create(backpressure, { tierType: type, locality: locality ?? null, path }, scope);
  }

  #createContext(
    parts: TierParts,
    { contract }: Located,
    backpressureDetector: StoreDetector | null,
    placement: TierPlacement,
  ): TierContext {
    const { value: config, problems } = validateOptions(
      contract,
      tierOptionsFor(contract, parts),
      pathOf(placement),
      COMMON_TIER_KEYS,
    );
    if (problems.length > 0) throw configInvalid(problems);
    const offloadingSpec = this.#resolver.get<OffloadingSpec>(TOKENS.offloadingSpec);
    const logger = this.#resolver.get<Logger>(TOKENS.logger);
    const enableKvEvents = parts.enableKvEvents === true;
    if (enableKvEvents && !offloadingSpec.enableKvEvents) {
      logger.warn(
        `${ownerOf(placement, parts.type)}: enable_kv_events does nothing without the global enable_kv_cache_events.`,
      );
    }
    return Object.freeze({
      tierType: parts.type,
      config,
      primaryKvView: this.#resolver.get<KvBlockView>(TOKENS.primaryKvView),
      offloadingSpec,
      backpressureDetector,
      clock: this.#resolver.get<Clock>(TOKENS.clock),
      logger,
      notify: placement.notify ?? (() => {}),
      locality: parts.locality ?? null,
      enableKvEvents: enableKvEvents && offloadingSpec.enableKvEvents,
    });
  }

  async #construct({ token }: Located, context: TierContext, scope: ResolutionScope): Promise<SecondaryTierManager> {
    scope
      .provide(TOKENS.tierType, context.tierType)
      .provide(TOKENS.tierConfig, context.config)
      .provide(TOKENS.backpressureDetector, context.backpressureDetector)
      .provide(TOKENS.tierContext, context);
    let instance: unknown;
    try {
      instance = await scope.run(() => this.#resolver.getAsync(token));
    } catch (error) {
      const cause = error instanceof RangeError ? resolutionOverflow(token, error) : error;
      throw tierInitFailed(scope.owner, "construction", cause);
    }
    const tier = assertInstance<SecondaryTierManager>(TIER_SHAPE, `What '${token}' resolves to`, instance);
    adoptDetector(tier, context.backpressureDetector);
    return tier;
  }
}

/**
 * The orchestrator gates stores by the tier's own `backpressureDetector`. A tier that is not built on the base class,
 * or that was built beforehand with another context, does not know of the one that its config asks for.
 */
function adoptDetector(tier: SecondaryTierManager, detector: StoreDetector | null): void {
  if (detector === null || tier.backpressureDetector === detector) return;
  Object.defineProperty(tier, "backpressureDetector", { value: detector, configurable: true });
}
