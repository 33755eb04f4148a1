import { Injectable, type OnModuleInit } from "@nestjs/common";
import type { Tiering } from "../cache/create-tiering.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { AppCache } from "./app-cache.js";
import { DEFAULT_CACHE } from "./nest-tokens.js";

/** The caches of one application, by name. */
@Injectable()
export class AppCaches implements OnModuleInit {
  /** `null` while the cache is being opened. */
  readonly #caches = new Map<string, AppCache | null>();
  #isStarted = false;
  #hasFailed = false;

  /**
   * Opens a cache. When one cannot be opened while the application starts, the others are closed: the start has failed,
   * and Nest calls no hook of an application that it could not make.
   *
   * @throws KvTierError `INVALID_STATE` when there is a cache of that name already; what `open` rejects with
   */
  async open(name: string, deadlineS: number | undefined, open: () => Promise<Tiering>): Promise<AppCache> {
    if (this.#caches.has(name)) {
      await this.#fail();
      throw nameTaken(name);
    }
    this.#caches.set(name, null);
    try {
      const cache = new AppCache(name, await open(), deadlineS);
      this.#caches.set(name, cache);
      // Another one failed meanwhile. This one counts as open too, so it is closed with what is left.
      if (this.#hasFailed) await this.#closeAll();
      return cache;
    } catch (error) {
      this.#caches.delete(name);
      await this.#fail();
      throw error;
    }
  }

  /** The caches that are open, in the order in which they were declared. */
  all(): AppCache[] {
    return [...this.#caches.values()].filter((cache) => cache !== null);
  }

  /** @throws KvTierError `INVALID_STATE` when no cache of that name is open. */
  get(name: string = DEFAULT_CACHE): AppCache {
    const cache = this.#caches.get(name);
    if (cache != null) return cache;
    const names = this.all().map((other) => other.name);
    throw new KvTierError(
      "INVALID_STATE",
      `No cache of this application is called '${name}'. Its caches: ${names.join(", ") || "(none)"}.`,
    );
  }

  onModuleInit(): void {
    this.#isStarted = true;
  }

  /** Without a start there is no use for the others. */
  async #fail(): Promise<void> {
    if (this.#isStarted) return;
    this.#hasFailed = true;
    await this.#closeAll();
  }

  /** One that was opened later may have been made from an earlier one. */
  async #closeAll(): Promise<void> {
    for (const cache of this.all().reverse()) await cache.onApplicationShutdown();
  }
}

function nameTaken(name: string): KvTierError {
  const repair =
    name === DEFAULT_CACHE
      ? "Give each but one a name, as in KvTierModule.forRoot({ name: 'draft', … })"
      : "Give each a name of its own";
  return new KvTierError(
    "INVALID_STATE",
    `Two caches of this application are called '${name}'. ${repair}; to use one in several modules, ` +
      "keep what forRoot returns and import that, or make it global.",
  );
}
