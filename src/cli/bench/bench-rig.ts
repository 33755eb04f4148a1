import { Container } from "inversify";
import { KvCache } from "../../cache/kv-cache.js";
import { RunningTiering } from "../../cache/running-tiering.js";
import { StepDriver } from "../../cache/step-driver.js";
import { createOffloadingSpec } from "../../config/create-offloading-spec.js";
import type { TieringConfig } from "../../config/tiering-config.js";
import type { Clock } from "../../contracts/clock.js";
import type { Logger } from "../../contracts/logger.js";
import type { SecondaryTierManager } from "../../contracts/secondary-tier-manager.js";
import type { SecondaryTierFactory } from "../../factory/secondary-tier-factory.js";
import { tieringModule, type ModuleOptions } from "../../factory/tiering-module.js";
import { TieringOffloadingManager } from "../../orchestrator/tiering-offloading-manager.js";
import { PrimaryKvView } from "../../primary/primary-kv-view.js";
import { PrimaryTier } from "../../primary/primary-tier.js";
import { TOKENS } from "../../tokens.js";
import { StoreProbe } from "./store-probe.js";

export interface BenchRigOptions {
  readonly config: TieringConfig;
  /** Position in `secondary_tiers`, from 0. */
  readonly index: number;
  /** The config of the tier; its detector, if it has one, is replaced by the probe. */
  readonly tierConfig: Readonly<Record<string, unknown>>;
  /** Slots of the pool. */
  readonly numBlocks: number;
  readonly modules: ModuleOptions;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A cache over one tier of a config, with a small pool, and a probe in the place of the tier's detector. */
export interface BenchRig {
  readonly cache: KvCache;
  readonly manager: TieringOffloadingManager;
  readonly tier: SecondaryTierManager;
  readonly probe: StoreProbe;
  readonly close: () => Promise<void>;
}

/** As `createTiering` does it, but for one tier in its place, whose single methods are at hand. */
export async function openBenchRig(options: BenchRigOptions): Promise<BenchRig> {
  const { config, index, tierConfig, numBlocks, modules, clock, logger } = options;
  const { blockBytes } = config;
  const view = PrimaryKvView.allocate(numBlocks, blockBytes);
  const offloadingSpec = { ...createOffloadingSpec(config), numBlocks };
  const container = new Container();
  container.load(
    tieringModule({ ...modules, detectors: [StoreProbe], primaryKvView: view, offloadingSpec, clock, logger }),
  );
  const factory = container.get<SecondaryTierFactory>(TOKENS.tierFactory);
  // The tier is made before the driver that it notifies.
  const running: { driver?: StepDriver } = {};
  const notify = (): void => running.driver?.wake();
  try {
    const probed = { ...tierConfig, backpressure: { backpressure_cls: "kvtier-bench" } };
    const tier = await factory.createSecondaryTier(probed, { index, notify });
    const probe = tier.backpressureDetector;
    if (!(probe instanceof StoreProbe)) throw new Error("it uses no detector but its own, so it cannot be measured");
    const attachment = { type: String(tierConfig.type), tier, close: () => factory.closeTier(tier) };
    const primary = new PrimaryTier({ numBlocks, evictionPolicy: config.evictionPolicy, recordEvents: false });
    const manager = new TieringOffloadingManager({ primary, tiers: [attachment], blockBytes, clock, logger, notify });
    const driver = new StepDriver(manager, logger);
    running.driver = driver;
    const cache = new KvCache({ manager, driver, view, clock });
    const { close } = new RunningTiering({ cache, manager, factory, container }, driver);
    return { cache, manager, tier, probe, close };
  } catch (error) {
    await factory.close();
    throw error;
  }
}
