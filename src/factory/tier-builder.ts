import { configInvalid } from "../config/config-invalid.js";
import { joinPath } from "../config/config-path.js";
import { COMMON_TIER_KEYS, tierOptionsFor } from "../config/split-tier-config.js";
import { validateOptions } from "../config/validate-options.js";
import type { StoreDetector } from "../contracts/backpressure.js";
import type { Clock } from "../contracts/clock.js";
import type { KvBlockView } from "../contracts/kv-block-view.js";
import { safeLogger, type Logger } from "../contracts/logger.js";
import type { OffloadingSpec } from "../contracts/offloading-spec.js";
import type { SecondaryTierManager } from "../contracts/secondary-tier-manager.js";
import type { TierContext } from "../contracts/tier-context.js";
import { isCycleWithoutPath, resolutionCycle, tierInitFailed } from "../errors/factory-errors.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { TOKENS, tierToken } from "../tokens.js";
import type { BackpressureFactory, DetectorPlan } from "./backpressure-factory.js";
import type { Located } from "./component-locator.js";
import { assertInstance, TIER_SHAPE } from "./component-shape.js";
import { OwnedTier } from "./owned-tier.js";
import { ResolutionScope } from "./resolution-scope.js";
import type { Resolver } from "./resolver.js";
import { ownerOf, pathOf, type TierParts, type TierPlacement } from "./tier-placement.js";

/** Constructs one tier in a child container of its own: detector first, then the tier itself. */
export class TierBuilder {
  readonly #resolver: Resolver;
  readonly #backpressure: BackpressureFactory;

  constructor(resolver: Resolver, backpressure: BackpressureFactory) {
    this.#resolver = resolver;
    this.#backpressure = backpressure;
  }

  /** The tier, not yet initialized. All options are read before anything is built; on an error nothing is left behind. */
  async build(parts: TierParts, located: Located, placement: TierPlacement): Promise<OwnedTier> {
    const plan = await this.#planDetector(parts, placement);
    const { contract } = located;
    const options = validateOptions(contract, tierOptionsFor(contract, parts), pathOf(placement), COMMON_TIER_KEYS);
    const problems = [...parts.problems, ...(plan?.problems ?? []), ...options.problems];
    if (problems.length > 0) throw configInvalid(problems);

    const owner = ownerOf(placement, parts.type);
    const scope = new ResolutionScope(owner, tierToken(parts.type)).provide(TOKENS.tierType, parts.type);
    try {
      const detector =
        plan && (await attemptStep(scope, "construction of its detector", () => this.#backpressure.build(plan, scope)));
      const tier = await attemptStep(scope, "construction", async () => {
        const context = await this.#createContext(parts, options.value, detector, placement);
        return this.#construct(located.token(), context, scope);
      });
      return new OwnedTier(tier, scope);
    } catch (error) {
      scope.release();
      throw error;
    }
  }

  async #planDetector(parts: TierParts, placement: TierPlacement): Promise<DetectorPlan | null> {
    if (parts.backpressure === undefined) return null;
    const path = joinPath(pathOf(placement), "backpressure");
    const subject = { tierType: parts.type, locality: parts.locality ?? null, path };
    return this.#backpressure.plan(parts.backpressure, subject);
  }

  async #createContext(
    { type, locality, enableKvEvents = false }: TierParts,
    config: unknown,
    backpressureDetector: StoreDetector | null,
    placement: TierPlacement,
  ): Promise<TierContext> {
    const [primaryKvView, offloadingSpec, clock, boundLogger] = await Promise.all([
      this.#resolver.getAsync<KvBlockView>(TOKENS.primaryKvView),
      this.#resolver.getAsync<OffloadingSpec>(TOKENS.offloadingSpec),
      this.#resolver.getAsync<Clock>(TOKENS.clock),
      this.#resolver.getAsync<Logger>(TOKENS.logger),
    ]);
    const logger = safeLogger(boundLogger);
    if (enableKvEvents && !offloadingSpec.enableKvEvents) {
      logger.warn(
        `${ownerOf(placement, type)}: enable_kv_events does nothing without the global enable_kv_cache_events.`,
      );
    }
    return Object.freeze({
      tierType: type,
      config,
      primaryKvView,
      offloadingSpec,
      backpressureDetector,
      clock,
      logger,
      notify: placement.notify ?? (() => {}),
      locality: locality ?? null,
      enableKvEvents: enableKvEvents && offloadingSpec.enableKvEvents,
    });
  }

  async #construct(token: string, context: TierContext, scope: ResolutionScope): Promise<SecondaryTierManager> {
    scope
      .provide(TOKENS.tierConfig, context.config)
      .provide(TOKENS.backpressureDetector, context.backpressureDetector)
      .provide(TOKENS.tierContext, context);
    let instance: unknown;
    try {
      instance = await scope.run(() => this.#resolver.getAsync(token));
    } catch (error) {
      throw isCycleWithoutPath(error) ? resolutionCycle(token, error) : error;
    }
    const tier = assertInstance<SecondaryTierManager>(TIER_SHAPE, `What '${token}' resolves to`, instance);
    adoptDetector(tier, context.backpressureDetector);
    return tier;
  }
}

/** A binding that delivers no component is reported as that; whatever else fails in `step` is `TIER_INIT_FAILED`. */
async function attemptStep<T>(scope: ResolutionScope, step: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (KvTierError.is(error) && error.code.startsWith("NOT_A_")) throw error;
    throw tierInitFailed(scope.owner, step, error);
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
