import type { Clock } from "../contracts/clock.js";
import type { KvBlockView } from "../contracts/kv-block-view.js";
import type { OffloadKey } from "../contracts/offload-key.js";
import type { RequestContext } from "../contracts/request-context.js";
import { untilDeadline } from "../contracts/until-deadline.js";
import { closed } from "../errors/factory-errors.js";
import type { TieringStats } from "../metrics/tiering-stats.js";
import type { TieringOffloadingManager } from "../orchestrator/tiering-offloading-manager.js";
import { assertKeys } from "./assert-keys.js";
import type { AcquireOptions, DrainOptions, PutOptions, RequestOptions } from "./cache-options.js";
import { deadlineOf } from "./deadline-of.js";
import { bytesOfBlocks } from "./block-bytes.js";
import { fillAndCommit } from "./fill-and-commit.js";
import { Lease } from "./lease.js";
import { keepProcessAlive } from "./keep-process-alive.js";
import { OpenRequests } from "./open-requests.js";
import { PrefixAcquisition } from "./prefix-acquisition.js";
import { Reservations } from "./reservations.js";
import type { StepDriver } from "./step-driver.js";
import type { StoreTicket } from "./store-ticket.js";

export type { AcquireOptions, DrainOptions, PutOptions, RequestOptions } from "./cache-options.js";

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
  readonly #reservations: Reservations;
  #closed = false;

  constructor({ manager, driver, view, clock }: KvCacheDependencies) {
    this.#manager = manager;
    this.#driver = driver;
    this.#view = view;
    this.#clock = clock;
    this.#requests = new OpenRequests(manager, driver);
    const assertOpen = (): void => this.#assertOpen();
    this.#reservations = new Reservations({ manager, driver, requests: this.#requests, view, assertOpen });
  }

  /** Bytes of one block. */
  get blockBytes(): number {
    return this.#view.blockBytes;
  }

  /**
   * Pins the longest prefix of `keys` that the pool and the secondary tiers can serve. Requests that want the same block
   * at the same time share one promotion of it.
   *
   * @throws KvTierError `INVALID_STATE` on a malformed key or deadline; `CLOSED` when the cache is closed, before or
   *   meanwhile; `signal.reason` when aborted.
   */
  async acquire(keys: readonly OffloadKey[], options: AcquireOptions = {}): Promise<Lease> {
    this.#assertOpen();
    options.signal?.throwIfAborted();
    const asked = [...keys];
    assertKeys(asked);
    const deadlineS = deadlineOf(options);
    const ctx = this.#contextOf(options);
    const acquisition = new PrefixAcquisition(this.#manager, asked, ctx);
    this.#requests.enter(ctx);
    let blocks: Uint8Array[];
    try {
      await this.#complete(acquisition, deadlineS, options.signal);
      this.#assertOpen();
      blocks = acquisition.blockIds.map((blockId) => this.#view.block(blockId));
    } catch (error) {
      this.#unpin(acquisition, ctx);
      throw error;
    }
    return new Lease({ blocks, sources: acquisition.sources }, () => this.#unpin(acquisition, ctx));
  }

  /**
   * Reserves slots for those of `keys` that are neither resident nor being written by somebody.
   *
   * @returns `null` when the pool has no room now; a ticket without keys when there is nothing new to store.
   * @throws KvTierError `INVALID_STATE` on a malformed key; `CLOSED`
   */
  reserve(keys: readonly OffloadKey[], options: RequestOptions = {}): StoreTicket | null {
    const asked = [...keys];
    assertKeys(asked);
    return this.#reservations.reserve(asked, this.#contextOf(options));
  }

  /**
   * Copies blocks into the pool and starts their cascade. Waits for room while transfers are under way that may make
   * some; when there is none to be had, stores as long a prefix as fits.
   *
   * @param blocks one for each key, each of exactly one block's bytes; not to be written to until the call resolves
   * @returns how many of the blocks are resident now
   * @throws KvTierError `INVALID_STATE` on a malformed key or a wrong number or size of blocks, with nothing stored;
   *   `CLOSED`; `signal.reason` when aborted.
   */
  async put(keys: readonly OffloadKey[], blocks: readonly Uint8Array[], options: PutOptions = {}): Promise<number> {
    this.#assertOpen();
    options.signal?.throwIfAborted();
    assertKeys(keys);
    const bytes = bytesOfBlocks(keys, blocks, this.#view.blockBytes);
    const blockOf = new Map(keys.map((key, i) => [key, bytes[i]]));
    const wanted = [...blockOf.keys()];
    const ctx = this.#contextOf(options);
    // One request from the first attempt to the last, however long it waits for room.
    this.#requests.enter(ctx);
    try {
      const tickets = await this.#reservations.reserveWithRoom(wanted, ctx, options.signal);
      fillAndCommit(tickets, blockOf);
    } finally {
      this.#requests.leave(ctx);
    }
    return wanted.filter((key) => this.#manager.isResident(key)).length;
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
    const upTo = this.#manager.jobs.lastId;
    await this.#driver.until(() => !this.#manager.jobs.hasCascades(upTo));
  }

  /** Cumulative figures; reading them changes nothing. */
  stats(): TieringStats {
    return this.#manager.getStats();
  }

  /**
   * The first step of a shutdown that loses nothing: from now on there is no room for new blocks, so that `reserve`
   * answers `null` and `put` stores nothing. What is reserved may still be committed, and loads go on.
   */
  stopStores(): void {
    this.#reservations.stop();
    this.#driver.wake();
  }

  /**
   * The second: stops stores, and resolves when every ticket that is out is committed or aborted and every cascade has
   * ended, one way or the other, or at the deadline.
   *
   * @returns whether that is so; at the deadline, whatever is still under way goes on until the close
   * @throws KvTierError `INVALID_STATE` on a malformed deadline.
   */
  async drain(options: DrainOptions = {}): Promise<boolean> {
    const deadlineS = deadlineOf(options);
    this.stopStores();
    const isDrained = (): boolean => this.openTickets === 0 && !this.#manager.jobs.hasCascades(Infinity);
    if (deadlineS > 0) await untilDeadline(this.#clock, deadlineS, this.#driver.until(isDrained));
    return isDrained();
  }

  /** Tickets with blocks to fill that are neither committed nor aborted. */
  get openTickets(): number {
    return this.#reservations.openTickets;
  }

  /** Refuses further calls, and rejects those that wait for blocks or for room. Leases that are out stay valid. */
  close(): void {
    this.#closed = true;
    this.#driver.wake();
  }

  async #complete(acquisition: PrefixAcquisition, deadlineS: number, signal?: AbortSignal): Promise<void> {
    let expired = deadlineS <= 0;
    const expire = (): void => {
      expired = true;
      this.#driver.wake();
    };
    const cancel = expired || deadlineS === Infinity ? undefined : this.#clock.after(deadlineS, expire);
    const letGo = cancel && keepProcessAlive();
    try {
      this.#driver.collect();
      await this.#driver.until(() => this.#closed || acquisition.advance() || expired, signal);
    } finally {
      cancel?.();
      letGo?.();
      acquisition.stop();
    }
  }

  #unpin(acquisition: PrefixAcquisition, ctx: RequestContext): void {
    const keys = acquisition.pinnedKeys;
    this.#manager.completeLoad(keys, ctx);
    this.#manager.touch(keys, ctx);
    this.#requests.leave(ctx);
  }

  #contextOf({ requestId, kvTransferParams, loadTierFilter }: AcquireOptions): RequestContext {
    return {
      reqId: requestId ?? this.#requests.freshId(),
      ...(kvTransferParams !== undefined && { kvTransferParams }),
      ...(loadTierFilter !== undefined && { loadTierFilter }),
    };
  }

  #assertOpen(): void {
    if (this.#closed) throw closed("The KV cache");
  }
}
