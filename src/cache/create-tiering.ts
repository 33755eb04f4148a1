import { Container } from "inversify";
import { configInvalid } from "../config/config-invalid.js";
import { createOffloadingSpec } from "../config/create-offloading-spec.js";
import { parseTieringConfigWith } from "../config/parse-tiering-config.js";
import type { TieringConfigInput, UntypedConfig } from "../config/tiering-config-input.js";
import type { TieringConfig } from "../config/tiering-config.js";
import type { Clock } from "../contracts/clock.js";
import type { KvBlockView } from "../contracts/kv-block-view.js";
import { safeLogger, type Logger } from "../contracts/logger.js";
import type { OffloadingSpec } from "../contracts/offloading-spec.js";
import type { ConfigProblem } from "../errors/kv-tier-error.js";
import { assertSpec } from "../factory/assert-spec.js";
import { catalogOf } from "../factory/catalog-of.js";
import type { OffloadingSpecFactory } from "../factory/offloading-spec-factory.js";
import { Registries } from "../factory/registries.js";
import type { SecondaryTierFactory } from "../factory/secondary-tier-factory.js";
import { tieringModule, type ModuleOptions } from "../factory/tiering-module.js";
import type { TierAttachment } from "../orchestrator/tier-handle.js";
import { TieringOffloadingManager } from "../orchestrator/tiering-offloading-manager.js";
import { PrimaryKvView } from "../primary/primary-kv-view.js";
import { PrimaryTier } from "../primary/primary-tier.js";
import { TOKENS } from "../tokens.js";
import { ContainerGuest } from "./container-guest.js";
import { KvCache } from "./kv-cache.js";
import { RunningTiering, type CloseOptions, type TieringParts } from "./running-tiering.js";
import { StepDriver } from "./step-driver.js";

export interface CreateTieringOptions extends ModuleOptions {
  /** Memory to use as the pool; its `blockBytes` must equal the config's. Absent: allocated. */
  readonly primaryKvView?: KvBlockView;
  /** Container to load the module into. Absent: a new one. */
  readonly container?: Container;
  /** Called after the module is loaded and before any tier is made: the place to rebind tokens and register tiers. */
  readonly configure?: (container: Container) => void | Promise<void>;
}

/** A running cache and its parts. */
export interface Tiering extends TieringParts, AsyncDisposable {
  /**
   * Takes no more calls, lets running transfers end, then closes the tiers. Idempotent: the options of the first call
   * count, and a later one waits for it.
   *
   * @throws KvTierError `SHUTDOWN_FAILED` when a tier failed to close; all were tried.
   */
  readonly close: (options?: CloseOptions) => Promise<void>;
}

/**
 * Makes a whole cache from a config: pool, tiers, manager and cache, in a container in which each can be rebound.
 *
 * @param config as in a JSON file, checked by the compiler too when it has a type; see `parseTieringConfig`
 * @throws KvTierError `CONFIG_INVALID` with every problem; what `SecondaryTierFactory.createSecondaryTier` throws for a
 *   tier, after the tiers made before it are closed again; `INVALID_STATE` when the container holds a module already.
 */
export function createTiering<Config>(config: UntypedConfig<Config>, options?: CreateTieringOptions): Promise<Tiering>;
export function createTiering(config: TieringConfigInput, options?: CreateTieringOptions): Promise<Tiering>;
export async function createTiering(config: unknown, options: CreateTieringOptions = {}): Promise<Tiering> {
  const container = options.container ?? new Container();
  const registries = new Registries(options);
  const catalog = catalogOf(registries, (token) => container.isBound(token));
  const parsed = options.configure === undefined ? parseTieringConfigWith(catalog, config) : parseEarly();
  const view = options.primaryKvView ?? PrimaryKvView.allocate(parsed.numBlocks, parsed.blockBytes);
  const isOurs = options.primaryKvView === undefined;
  const builtIn = createOffloadingSpec(parsed);
  const module = tieringModule({ ...options, primaryKvView: view, offloadingSpec: builtIn });
  const guest = new ContainerGuest(container, module, registries);
  guest.load();
  try {
    await options.configure?.(container);
    const resolved = parseTieringConfigWith(catalog, config);
    await bindSpec(container, resolved, builtIn);
    return await assemble(container, resolved, isOurs ? view : undefined);
  } catch (error) {
    await guest.leave();
    throw error;
  }

  /** `configure` may still bind what the config names, so unknown names are let pass, and faults told of with them. */
  function parseEarly(): TieringConfig {
    try {
      return parseTieringConfigWith(
        catalogOf(registries, () => true),
        config,
      );
    } catch {
      return parseTieringConfigWith(catalog, config);
    }
  }
}

/** Puts the spec that the config names in the place of the one bound until now, unless `configure` has rebound that. */
async function bindSpec(container: Container, config: TieringConfig, builtIn: OffloadingSpec): Promise<void> {
  const bound = await container.getAsync<unknown>(TOKENS.offloadingSpec);
  const isRebound = bound !== builtIn;
  const spec = isRebound
    ? assertSpec(TOKENS.offloadingSpec, bound)
    : await container.get<OffloadingSpecFactory>(TOKENS.specFactory).createSpec(config);
  container.rebind(TOKENS.offloadingSpec).toConstantValue(spec);
}

/** @param allocated the view that was made for this config; `undefined` when the caller gave one */
async function assemble(
  container: Container,
  config: TieringConfig,
  allocated: KvBlockView | undefined,
): Promise<Tiering> {
  const spec = await container.getAsync<OffloadingSpec>(TOKENS.offloadingSpec);
  const view = viewFor(container, spec, allocated);
  const factory = container.get<SecondaryTierFactory>(TOKENS.tierFactory);
  const clock = container.get<Clock>(TOKENS.clock);
  const logger = safeLogger(container.get<Logger>(TOKENS.logger));

  // Tiers are made before the driver that they notify.
  const running: { driver?: StepDriver } = {};
  const notify = (): void => running.driver?.wake();
  const tiers = await createTiers(factory, config, notify);
  const manager = new TieringOffloadingManager({
    primary: new PrimaryTier({
      numBlocks: spec.numBlocks,
      evictionPolicy: spec.evictionPolicy,
      recordEvents: spec.enableKvEvents,
    }),
    tiers,
    blockBytes: spec.blockBytes,
    clock,
    logger,
    notify,
    ...(config.pendingDeadlineS !== undefined && { pendingDeadlineS: config.pendingDeadlineS }),
  });
  const driver = new StepDriver(manager, logger);
  running.driver = driver;
  const cache = new KvCache({ manager, driver, view, clock });
  container.rebind(TOKENS.tieringManager).toConstantValue(manager);
  container.rebind(TOKENS.kvCache).toConstantValue(cache);
  return new RunningTiering({ cache, manager, factory, container }, driver);
}

async function createTiers(
  factory: SecondaryTierFactory,
  { secondaryTiers }: TieringConfig,
  notify: () => void,
): Promise<TierAttachment[]> {
  const attachments: TierAttachment[] = [];
  for (const [index, tierConfig] of secondaryTiers.entries()) {
    const tier = await factory.createSecondaryTier(tierConfig, { index, notify });
    attachments.push({ type: String(tierConfig.type), tier, close: () => factory.closeTier(tier) });
  }
  return attachments;
}

/** The view that is bound. The one made here is replaced if a spec of the application's wants another pool. */
function viewFor(container: Container, spec: OffloadingSpec, allocated: KvBlockView | undefined): KvBlockView {
  const bound = container.get<KvBlockView>(TOKENS.primaryKvView);
  const isReplaceable = bound === allocated;
  if (isReplaceable && (bound.numBlocks !== spec.numBlocks || bound.blockBytes !== spec.blockBytes)) {
    const view = PrimaryKvView.allocate(spec.numBlocks, spec.blockBytes);
    container.rebind(TOKENS.primaryKvView).toConstantValue(view);
    return view;
  }
  assertFits(spec, bound);
  return bound;
}

function assertFits(spec: OffloadingSpec, view: KvBlockView): void {
  const problems: ConfigProblem[] = [];
  if (view.blockBytes !== spec.blockBytes) {
    const message = `must be the block size of the given primaryKvView, ${view.blockBytes}; got ${spec.blockBytes}`;
    problems.push({ path: "block_bytes", message });
  }
  if (view.numBlocks < spec.numBlocks) {
    const message = `makes ${spec.numBlocks} blocks, but the given primaryKvView has ${view.numBlocks}`;
    problems.push({ path: "cpu_bytes_to_use", message });
  }
  if (problems.length > 0) throw configInvalid(problems);
}
