import type { Clock } from "../contracts/clock.js";
import type { Logger } from "../contracts/logger.js";
import type { LookupResult } from "../contracts/lookup-result.js";
import { OffloadPolicy, type RequestOffloading } from "../contracts/offload-policy.js";
import type { OffloadKey } from "../contracts/offload-key.js";
import type { OffloadingEvent } from "../contracts/offloading-event.js";
import type { RequestContext, ScheduleEndContext } from "../contracts/request-context.js";
import { closed } from "../errors/factory-errors.js";
import type { Distributions } from "../metrics/distributions.js";
import { TieringMetrics } from "../metrics/tiering-metrics.js";
import { PRIMARY_LABEL, type TieringStats } from "../metrics/tiering-stats.js";
import type { PreparedStore } from "../primary/primary-tier.js";
import { Cascades } from "./cascades.js";
import { EventFeed } from "./event-feed.js";
import { FailedLoads } from "./failed-loads.js";
import { FinishedJobs } from "./finished-jobs.js";
import { JobLedger, type JobFigures } from "./job-ledger.js";
import { LateIo } from "./late-io.js";
import { Lookups } from "./lookups.js";
import type { ManagerOptions } from "./manager-options.js";
import { Pool } from "./pool.js";
import { Promotions } from "./promotions.js";
import { ReadHolds } from "./read-holds.js";
import { RequestTable } from "./request-table.js";
import { resetTiers, type ResetOptions, type ResetResult } from "./reset-tiers.js";
import { shutDownTiers } from "./shut-down-tiers.js";
import { Stores } from "./stores.js";
import { TierHandle } from "./tier-handle.js";

/** Seconds that a shutdown waits for running transfers, unless told otherwise. */
const SHUTDOWN_DEADLINE_S = 30;

/**
 * Moves blocks between the primary pool and the secondary tiers, step by step: synchronous, deterministic, and moving
 * nothing by itself. An engine's scheduler calls it: look-ups and stores while it plans a step, `onScheduleEnd` once at
 * the end. Apps that have no scheduler use `KvCache`, which drives the steps for them.
 *
 * Request ids need not be announced. Whoever looks up or stores on behalf of a request finishes it with
 * `onRequestFinished`, or its state stays.
 */
export class TieringOffloadingManager {
  /** Block events, for whoever wants them as they come. */
  readonly events: EventFeed;
  readonly #tiers: readonly TierHandle[];
  readonly #pool: Pool;
  readonly #ledger = new JobLedger();
  readonly #requests: RequestTable;
  readonly #holds: ReadHolds;
  readonly #failedLoads = new FailedLoads();
  readonly #promotions: Promotions;
  readonly #cascades: Cascades;
  readonly #lookups: Lookups;
  readonly #stores: Stores;
  readonly #finished: FinishedJobs;
  readonly #metrics: TieringMetrics;
  readonly #logger: Logger;
  readonly #clock: Clock;
  /** Whether this step has asked the tiers for finished jobs. */
  #polled = false;
  #shutdown: Promise<void> | undefined;

  constructor(options: ManagerOptions) {
    const { clock, logger, blockBytes, pendingDeadlineS, notify = () => {} } = options;
    const tiers = options.tiers.map((attachment, index) => new TierHandle(index, attachment, logger));
    const pool = new Pool(options.primary);
    const ledger = this.#ledger;
    this.#metrics = new TieringMetrics({ pool, tiers, blockBytes });
    const metrics = this.#metrics.primary;
    const failedLoads = this.#failedLoads;
    const lateIo = new LateIo(notify);
    const holds = new ReadHolds(pool);
    const promotions = new Promotions({ pool, ledger, holds, failedLoads, lateIo, clock, blockBytes });
    const cascades = new Cascades({ pool, tiers, ledger, failedLoads, lateIo, clock, blockBytes });
    this.events = new EventFeed({ isEnabled: options.primary.recordsEvents, sources: [pool, ...tiers], logger });
    this.#tiers = tiers;
    this.#pool = pool;
    this.#holds = holds;
    this.#logger = logger;
    this.#clock = clock;
    this.#promotions = promotions;
    this.#cascades = cascades;
    this.#requests = new RequestTable(tiers);
    this.#lookups = new Lookups({ pool, tiers, promotions, metrics, clock, pendingDeadlineS, notify });
    this.#stores = new Stores({ pool, holds, cascades, metrics });
    this.#finished = new FinishedJobs({ tiers, ledger, promotions, cascades, logger });
  }

  /** Announces a request. Its policy is `RequestLevel` as soon as one tier wants whole requests. */
  onNewRequest(ctx: RequestContext): RequestOffloading {
    this.#assertOpen();
    const { requestLevelTiers } = this.#requests.ensure(ctx);
    return { policy: requestLevelTiers === null ? OffloadPolicy.ChunkLevel : OffloadPolicy.RequestLevel };
  }

  /**
   * Where the block is. `HitPending` and `Retry` ask to look again after the next step. A hit is no pin.
   *
   * @throws KvTierError `CLOSED`; `INVALID_STATE` as {@link onScheduleEnd} does
   */
  lookup(key: OffloadKey, ctx: RequestContext): LookupResult {
    this.#assertOpen();
    this.collectFinished();
    return this.#lookups.lookup(key, this.#requests.ensure(ctx), ctx);
  }

  /**
   * Takes in what the tiers have finished, once per step. Look-ups and stores do it by themselves.
   *
   * @throws KvTierError `INVALID_STATE` as {@link onScheduleEnd} does.
   */
  collectFinished(): void {
    if (this.#polled || this.#shutdown !== undefined) return;
    this.#polled = true;
    this.#finished.collect();
  }

  /**
   * Pins blocks that look-up called a hit in this tick, until `completeLoad`.
   *
   * @returns the slots, in the order of the keys
   * @throws KvTierError `INVALID_STATE`, with nothing changed, when a block is not readable; `CLOSED`.
   */
  prepareLoad(keys: readonly OffloadKey[], ctx?: RequestContext): Int32Array {
    this.#assertOpen();
    const slots = this.#pool.prepareLoad(keys);
    this.#metrics.primary.onLoad(slots.length);
    const state = ctx && this.#requests.find(ctx.reqId);
    if (state !== undefined && state.heldBlocks > 0) for (const key of keys) this.#holds.drop(key, state);
    return slots;
  }

  /** @throws KvTierError `INVALID_STATE`, with nothing changed, when a block has no pin of {@link prepareLoad}. */
  completeLoad(keys: readonly OffloadKey[], _ctx?: RequestContext): void {
    this.#pool.completeLoad(keys);
  }

  /** The request will not read these blocks after all: they are neither waited for nor kept on its behalf. */
  stopWaiting(keys: readonly OffloadKey[], ctx: RequestContext): void {
    const state = this.#requests.find(ctx.reqId);
    if (state === undefined) return;
    for (const key of keys) {
      this.#promotions.leave(key, state);
      this.#holds.drop(key, state);
    }
  }

  /**
   * Reserves slots for those of `keys` that are neither resident nor being written. Fill them, then `completeStore`.
   *
   * @returns `null` when there is no room; empty `keysToStore` when there is nothing to do
   * @throws KvTierError `CLOSED`; `INVALID_STATE` as {@link onScheduleEnd} does
   */
  prepareStore(keys: readonly OffloadKey[], ctx: RequestContext): PreparedStore | null {
    this.#assertOpen();
    this.collectFinished();
    return this.#stores.prepare(keys, this.#requests.ensure(ctx));
  }

  /**
   * Ends the writing of blocks that this request reserved. With `success` they become readable and cascade into the
   * tiers; else they are gone. Keys that are not being written are skipped.
   *
   * @throws KvTierError `INVALID_STATE`, with nothing changed, when a key is being written by somebody else.
   */
  completeStore(keys: readonly OffloadKey[], ctx: RequestContext, success = true): void {
    const state = this.#requests.find(ctx.reqId);
    this.#stores.complete(keys, state, success && this.#shutdown === undefined);
    if (state !== undefined) this.#requests.settle(state);
  }

  /** Marks blocks as used, here and in every tier. The first key ends as the most recently used. */
  touch(keys: readonly OffloadKey[], ctx: RequestContext): void {
    if (this.#shutdown !== undefined) return;
    this.#pool.tier.touch(keys);
    for (const tier of this.#tiers) tier.touch(keys, ctx);
  }

  /** No more look-ups or stores of this request follow; stores it prepared may still be completed. Twice is harmless. */
  onRequestFinished(ctx: RequestContext): void {
    const state = this.#requests.find(ctx.reqId);
    if (state === undefined || state.finished) return;
    state.finished = true;
    this.#promotions.abandon(state);
    this.#failedLoads.forget(state);
    state.forgetKeys();
    this.#requests.settle(state);
  }

  /**
   * Ends a step: collects what finished, and sends out what the step asked for.
   *
   * @throws KvTierError `INVALID_STATE` when a tier reports a key that is not of its job; that job stays open.
   */
  onScheduleEnd(ctx: ScheduleEndContext): void {
    if (this.#shutdown !== undefined) return;
    try {
      this.#finished.collect();
    } finally {
      this.#polled = false;
      this.#lookups.endStep();
      this.#promotions.flush();
      for (const state of this.#cascades.flushParked()) this.#requests.settle(state);
      for (const tier of this.#tiers) tier.onScheduleEnd(ctx);
      this.events.deliver();
    }
  }

  /** Block events since the last call: those of the pool, then of each tier. None while {@link events} has subscribers. */
  takeEvents(): OffloadingEvent[] {
    return this.events.take();
  }

  /** Whether more steps are needed to get something finished. */
  hasPendingWork(): boolean {
    if (this.hasTransfers || this.#cascades.parkedRequests > 0 || this.#lookups.hasOpenRetries) return true;
    return this.#tiers.some((tier) => tier.hasPendingWork());
  }

  /**
   * Forgets every block of the pool, at once, and with `tiers` what the tiers hold too. Blocks that are in use keep
   * their slots until their last user is done, but are not readable from now on.
   *
   * @returns for each tier whether it was cleared, and the jobs that were still out at the deadline
   * @throws KvTierError `CLOSED`; `INVALID_STATE` as {@link onScheduleEnd} does, once everything is reset
   */
  async resetCache(options: ResetOptions = {}): Promise<ResetResult> {
    this.#assertOpen();
    for (const state of this.#requests.all()) this.#holds.dropAll(state);
    this.#promotions.cancelQueued();
    this.#cascades.dropParked();
    this.#pool.reset();
    for (const state of this.#requests.all()) this.#requests.settle(state);
    return resetTiers(this.#tiers, options, {
      ledger: this.#ledger,
      logger: this.#logger,
      clock: this.#clock,
      collect: () => this.#finished.collect(),
    });
  }

  /** Cumulative figures; reading them changes nothing. */
  getStats(): TieringStats {
    return this.#metrics.snapshot();
  }

  /** Histograms of durations and sizes. The first call begins to fill them: until then nothing is timed. */
  distributions(): Distributions {
    return this.#metrics.distributions;
  }

  /** Label of the tier that served `key` to this request: `0:primary` when it needed no promotion. */
  sourceOf(key: OffloadKey, ctx: RequestContext): string {
    const source = this.#requests.find(ctx.reqId)?.findRecord(key)?.source ?? -1;
    return this.#tiers[source]?.label ?? PRIMARY_LABEL;
  }

  /** Whether the block can be read from the pool now. Counts nothing and promotes nothing. */
  isResident(key: OffloadKey): boolean {
    return (this.#pool.tier.refCount(key) ?? -1) >= 0;
  }

  /** What became of the jobs. */
  get jobs(): JobFigures {
    return this.#ledger;
  }

  /** Whether transfers are out, or about to be, whose end may make room in the pool. */
  get hasTransfers(): boolean {
    return this.#ledger.size > 0 || this.#promotions.queuedBatches > 0;
  }

  /** Gives up jobs whose tier misreported them, as failed: for a caller that cannot let them stay open. */
  failMisreportedJobs(): void {
    this.#finished.failMisreported();
  }

  /**
   * Waits for running transfers, then closes every tier, newest first, each even if others fail. A second call waits for
   * the first and does nothing else.
   *
   * @throws KvTierError `SHUTDOWN_FAILED` with the errors of the tiers; the pool is then kept, as one of them may
   *   still use it.
   */
  async shutdown({ deadlineS = SHUTDOWN_DEADLINE_S }: { deadlineS?: number } = {}): Promise<void> {
    if (this.#shutdown !== undefined) {
      await this.#shutdown.catch(() => undefined);
      return;
    }
    this.#promotions.cancelQueued();
    this.#cascades.dropParked();
    const collect = (): void => this.#finished.collect();
    const ended = shutDownTiers(this.#tiers, { deadlineS, clock: this.#clock, collect });
    this.#shutdown = ended.finally(() => this.events.close());
    await this.#shutdown;
  }

  #assertOpen(): void {
    if (this.#shutdown !== undefined) throw closed("The tiering manager");
  }
}
