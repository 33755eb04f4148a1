import type { Container } from "inversify";
import type { SecondaryTierFactory } from "../factory/secondary-tier-factory.js";
import type { TieringOffloadingManager } from "../orchestrator/tiering-offloading-manager.js";
import type { KvCache } from "./kv-cache.js";
import type { StepDriver } from "./step-driver.js";

export interface CloseOptions {
  /**
   * Seconds that running transfers have to end, 30 when absent. A tier that hangs is given one second more, and then
   * twice as long, and a second more, to close.
   */
  readonly deadlineS?: number;
}

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
  readonly close: (options?: CloseOptions) => Promise<void>;

  constructor(parts: TieringParts, driver: StepDriver) {
    this.cache = parts.cache;
    this.manager = parts.manager;
    this.factory = parts.factory;
    this.container = parts.container;
    let closing: Promise<void> | undefined;
    this.close = async (options = {}) => {
      if (closing === undefined) await (closing = closeInOrder(parts, driver, options));
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
async function closeInOrder(
  { cache, manager, factory }: TieringParts,
  driver: StepDriver,
  { deadlineS }: CloseOptions,
): Promise<void> {
  cache.close();
  driver.step();
  try {
    await manager.shutdown(deadlineS === undefined ? {} : { deadlineS });
  } finally {
    driver.stop();
    await factory.close();
  }
}
