import type { Clock } from "../contracts/clock.js";
import type { KvBlockView } from "../contracts/kv-block-view.js";
import type { OffloadKey } from "../contracts/offload-key.js";
import type { RequestContext } from "../contracts/request-context.js";
import type { TierFilter } from "../contracts/tier-filter.js";
import { closed } from "../errors/factory-errors.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import type { TieringStats } from "../metrics/tiering-stats.js";
import type { TieringOffloadingManager } from "../orchestrator/tiering-offloading-manager.js";
import { Lease } from "./lease.js";
import { OpenRequests } from "./open-requests.js";
import { PrefixAcquisition } from "./prefix-acquisition.js";
import type { StepDriver } from "./step-driver.js";
import { StoreTicket } from "./store-ticket.js";

export interface RequestOptions {
  /** Calls with one id belong to one request. Absent: a fresh one. */
  readonly requestId?: string;
  /** Engine-specific parameters, handed on to the tiers. */
  readonly kvTransferParams?: Readonly<Record<string, unknown>>;
}

export interface AcquireOptions extends RequestOptions {
  /** Gives up: the call rejects with `signal.reason`, and nothing stays pinned. */
  readonly signal?: AbortSignal;
  /** Seconds after which the call resolves with the prefix that is held by then. Absent: as long as the tiers take. */
  readonly deadlineS?: number;
  /** Which secondary tiers may serve the request. Absent: all. */
  readonly loadTierFilter?: TierFilter;
}

export interface PutOptions extends RequestOptions {
  /** Gives up waiting for room: the call rejects with `signal.reason`, and nothing is stored by it. */
  readonly signal?: AbortSignal;
}

export interface KvCacheDependencies {
  readonly manager: TieringOffloadingManager;
  readonly driver: StepDriver;
  readonly view: KvBlockView;
  readonly clock: Clock;
}

/** The promise face of tiering: leases on prefixes, tickets for new blocks. It drives the manager's steps by itself. */
export class KvCache {
  readonly #manager: TieringOffloadingManager;
  readonly #driver: StepDriver;
  readonly #view: KvBlockView;
  readonly #clock: Clock;
  readonly #requests: OpenRequests;
  #closed = false;

  constructor({ manager, driver, view, clock }: KvCacheDependencies) {
    this.#manager = manager;
    this.#driver = driver;
    this.#view = view;
    this.#clock = clock;
    this.#requests = new OpenRequests(manager, driver);
  }

  /**
   * Pins the longest prefix of `keys` that the pool and the secondary tiers can serve. Requests that want the same block
   * at the same time share one promotion of it.
   *
   * @throws KvTierError `CLOSED` when the cache is closed, before or meanwhile; `signal.reason` when aborted.
   */
  async acquire(keys: readonly OffloadKey[], options: AcquireOptions = {}): Promise<Lease> {
    this.#assertOpen();
    options.signal?.throwIfAborted();
    const ctx = this.#contextOf(options);
    this.#requests.enter(ctx);
    const acquisition = new PrefixAcquisition(this.#manager, [...keys], ctx);
    try {
      await this.#complete(acquisition, options);
      this.#assertOpen();
    } catch (error) {
      this.#unpin(acquisition, ctx);
      throw error;
    }
    const blocks = acquisition.blockIds.map((blockId) => this.#view.block(blockId));
    return new Lease({ blocks, sources: acquisition.sources }, () => this.#unpin(acquisition, ctx));
  }

  /**
   * Reserves slots for those of `keys` that are neither resident nor being written by somebody.
   *
   * @returns `null` when the pool has no room now; a ticket without keys when there is nothing new to store.
   * @throws KvTierError `CLOSED`
   */
  reserve(keys: readonly OffloadKey[], options: RequestOptions = {}): StoreTicket | null {
    this.#assertOpen();
    const ctx = this.#contextOf(options);
    this.#requests.enter(ctx);
    const plan = this.#manager.prepareStore(keys, ctx);
    if (plan === null) {
      this.#requests.leave(ctx);
      return null;
    }
    const asked = [...keys];
    const blocks = Array.from(plan.blockIds, (blockId) => this.#view.block(blockId));
    return new StoreTicket(plan.keysToStore, blocks, (success) => {
      this.#manager.completeStore(plan.keysToStore, ctx, success);
      if (success) this.#manager.touch(asked, ctx);
      this.#requests.leave(ctx);
      this.#driver.wake();
    });
  }

  /**
   * Copies blocks into the pool and starts their cascade. Waits for room while transfers are under way that may free
   * some; when there is none to be had, stores as long a prefix as fits.
   *
   * @param blocks one for each key, each of exactly one block's bytes
   * @returns how many of the blocks are resident now
   * @throws KvTierError `INVALID_STATE` on a wrong number or size of blocks, with nothing stored; `CLOSED`;
   *   `signal.reason` when aborted.
   */
  async put(keys: readonly OffloadKey[], blocks: readonly Uint8Array[], options: PutOptions = {}): Promise<number> {
    this.#assertBlocks(keys, blocks);
    const ticket = await this.#reserveWithRoom(keys, {
      ...options,
      requestId: options.requestId ?? this.#requests.freshId(),
    });
    if (ticket !== null) {
      fill(ticket, keys, blocks);
      ticket.commit();
    }
    return keys.filter((key) => this.#manager.isResident(key)).length;
  }

  /** Copies of the longest prefix that {@link acquire} can get. Errors as there. */
  async get(keys: readonly OffloadKey[], options: AcquireOptions = {}): Promise<Uint8Array[]> {
    const lease = await this.acquire(keys, options);
    try {
      return lease.blocks.map((block) => new Uint8Array(block));
    } finally {
      lease.release();
    }
  }

  /** Resolves when every cascade that was started so far has ended, one way or the other. */
  async flush(): Promise<void> {
    const upTo = this.#manager.lastJobId;
    await this.#driver.until(() => !this.#manager.hasCascades(upTo));
  }

  /** Cumulative figures; reading them changes nothing. */
  stats(): TieringStats {
    return this.#manager.getStats();
  }

  /** Refuses further calls, and rejects acquisitions that are under way. Leases that are out stay valid. */
  close(): void {
    this.#closed = true;
    this.#driver.wake();
  }

  #complete(acquisition: PrefixAcquisition, { signal, deadlineS }: AcquireOptions): Promise<void> {
    if (acquisition.advance()) return Promise.resolve();
    let expired = deadlineS !== undefined && deadlineS <= 0;
    const cancel =
      deadlineS === undefined || expired
        ? undefined
        : this.#clock.after(deadlineS, () => {
            expired = true;
            this.#driver.wake();
          });
    return this.#driver.until(() => this.#closed || acquisition.advance() || expired, signal).finally(() => cancel?.());
  }

  #unpin(acquisition: PrefixAcquisition, ctx: RequestContext): void {
    const keys = acquisition.pinnedKeys;
    this.#manager.completeLoad(keys, ctx);
    this.#manager.touch(keys, ctx);
    this.#requests.leave(ctx);
  }

  async #reserveWithRoom(keys: readonly OffloadKey[], options: PutOptions): Promise<StoreTicket | null> {
    let wanted = keys;
    for (;;) {
      options.signal?.throwIfAborted();
      const ticket = this.reserve(wanted, options);
      if (ticket !== null) return ticket;
      if (this.#manager.hasPendingWork()) await this.#nextStep(options.signal);
      else if (wanted.length <= 1) return null;
      else wanted = wanted.slice(0, Math.floor(wanted.length / 2));
    }
  }

  #nextStep(signal: AbortSignal | undefined): Promise<void> {
    let steps = 0;
    return this.#driver.until(() => steps++ > 0, signal);
  }

  #contextOf({ requestId, kvTransferParams, ...rest }: AcquireOptions): RequestContext {
    return {
      reqId: requestId ?? this.#requests.freshId(),
      ...(kvTransferParams !== undefined && { kvTransferParams }),
      ...(rest.loadTierFilter !== undefined && { loadTierFilter: rest.loadTierFilter }),
    };
  }

  #assertBlocks(keys: readonly OffloadKey[], blocks: readonly Uint8Array[]): void {
    if (keys.length !== blocks.length) {
      throw new KvTierError(
        "INVALID_STATE",
        `put needs one block per key; got ${keys.length} keys and ${blocks.length} blocks.`,
      );
    }
    const wrong = blocks.findIndex((block) => block.byteLength !== this.#view.blockBytes);
    if (wrong === -1) return;
    throw new KvTierError(
      "INVALID_STATE",
      `Block ${wrong} has ${blocks[wrong]?.byteLength ?? 0} bytes; a block of this cache has ${this.#view.blockBytes}.`,
    );
  }

  #assertOpen(): void {
    if (this.#closed) throw closed("The KV cache");
  }
}

/** Copies into each slot of the ticket the block of its key; a slot that cannot be filled must never be committed. */
function fill(ticket: StoreTicket, keys: readonly OffloadKey[], blocks: readonly Uint8Array[]): void {
  const blockOf = new Map(keys.map((key, i) => [key, blocks[i]]));
  try {
    for (const [i, slot] of ticket.blocks.entries()) {
      const block = blockOf.get(ticket.keys[i] ?? raise(`Slot ${i} of the ticket has no key.`));
      slot.set(block ?? raise(`Key ${i} of the ticket has no block.`));
    }
  } catch (error) {
    ticket.abort();
    throw error;
  }
}

function raise(message: string): never {
  throw new KvTierError("INVALID_STATE", message);
}
