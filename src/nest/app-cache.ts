import type { BeforeApplicationShutdown, OnApplicationShutdown, OnModuleDestroy } from "@nestjs/common";
import type { Container } from "inversify";
import type { Tiering } from "../cache/create-tiering.js";
import type { KvCache } from "../cache/kv-cache.js";
import type { Clock } from "../contracts/clock.js";
import { safeLogger, type Logger } from "../contracts/logger.js";
import { reasonOf } from "../errors/factory-errors.js";
import type { TieringOffloadingManager } from "../orchestrator/tiering-offloading-manager.js";
import { TOKENS } from "../tokens.js";

/** Less than the 30 s that most platforms give a process before they kill it. */
const SHUTDOWN_DEADLINE_S = 10;

/**
 * One cache of an application and how it ends, in Nest's three phases: no more stores; what is under way reaches the
 * tiers; the tiers and their clients close. Nest calls each phase of everything that depends on the cache first. In
 * between, requests that are still served find their blocks, and the tickets they hold may be committed.
 *
 * Each phase happens once, and none throws: an exception would keep others from closing, so it is logged.
 */
export class AppCache implements OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly name: string;
  readonly #tiering: Tiering;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** What is left of the deadline, which all phases share. */
  #leftS: number;
  #isClosing = false;
  #drained: Promise<void> | undefined;
  #closed: Promise<void> | undefined;
  #keepWaiting: () => void = () => {};

  constructor(name: string, tiering: Tiering, deadlineS: number = SHUTDOWN_DEADLINE_S) {
    this.name = name;
    this.#tiering = tiering;
    this.#clock = tiering.container.get<Clock>(TOKENS.clock);
    this.#logger = safeLogger(tiering.container.get<Logger>(TOKENS.logger));
    this.#leftS = deadlineS;
  }

  get cache(): KvCache {
    return this.#tiering.cache;
  }

  get manager(): TieringOffloadingManager {
    return this.#tiering.manager;
  }

  /** The container that its parts are in. */
  get container(): Container {
    return this.#tiering.container;
  }

  /** Whether the application is on its way down. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  onModuleDestroy(): void {
    this.#isClosing = true;
    this.cache.stopStores();
  }

  beforeApplicationShutdown(): Promise<void> {
    return (this.#drained ??= this.#drain());
  }

  onApplicationShutdown(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #drain(): Promise<void> {
    const start = this.#clock.now();
    const isDrained = await this.cache.drain({ deadlineS: this.#leftS });
    this.#leftS = Math.max(0, this.#leftS - (this.#clock.now() - start));
    // Nest goes on only when the server has answered everybody, also those who wait for a block of a tier that hangs.
    this.#keepWaiting = this.#clock.after(this.#leftS, () => this.cache.close());
    if (isDrained) return;
    const unfinished = this.cache.stats().tiers.filter(({ activeCascades }) => activeCascades > 0);
    this.#logger.warn("The application closes before all stores have reached their tiers.", {
      cache: this.name,
      tickets: this.cache.openTickets,
      unfinished: Object.fromEntries(unfinished.map(({ label, activeCascades }) => [label, activeCascades])),
    });
  }

  async #close(): Promise<void> {
    this.#isClosing = true;
    this.#keepWaiting();
    try {
      // Drains once more, for what was committed since.
      await this.#tiering.close({ deadlineS: this.#leftS });
    } catch (error) {
      this.#logger.error("Not everything has closed cleanly.", { cache: this.name, error: reasonOf(error) });
    }
  }
}
