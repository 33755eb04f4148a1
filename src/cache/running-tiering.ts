import type { Container } from "inversify";
import type { SecondaryTierFactory } from "../factory/secondary-tier-factory.js";
import type { TieringOffloadingManager } from "../orchestrator/tiering-offloading-manager.js";
import type { KvCache } from "./kv-cache.js";
import type { StepDriver } from "./step-driver.js";

export interface TieringParts {
  readonly cache: KvCache;
  readonly manager: TieringOffloadingManager;
  readonly factory: SecondaryTierFactory;
  readonly container: Container;
}

/** A running cache, its parts, and the order in which they end. */
export class RunningTiering implements TieringParts, AsyncDisposable {
  readonly cache: KvCache;
  readonly manager: TieringOffloadingManager;
  readonly factory: SecondaryTierFactory;
  readonly container: Container;
  /** As a property rather than a method, so that it can be taken out of the object and passed on. */
  readonly close: () => Promise<void>;

  constructor(parts: TieringParts, driver: StepDriver) {
    this.cache = parts.cache;
    this.manager = parts.manager;
    this.factory = parts.factory;
    this.container = parts.container;
    let closing: Promise<void> | undefined;
    this.close = async () => {
      if (closing === undefined) await (closing = closeInOrder(parts, driver));
      else await closing.catch(() => undefined);
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Callers first, so that nobody waits for what will not come; then transfers, then tiers. The driver runs on until
 * these have ended, for a flush that is under way.
 */
async function closeInOrder({ cache, manager, factory }: TieringParts, driver: StepDriver): Promise<void> {
  cache.close();
  driver.step();
  try {
    await manager.shutdown();
  } finally {
    driver.stop();
    await factory.close();
  }
}
