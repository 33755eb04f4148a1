import { LookupResult } from "../../contracts/lookup-result.js";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { OffloadingEvent } from "../../contracts/offloading-event.js";
import type { RequestContext, ScheduleEndContext } from "../../contracts/request-context.js";
import { SecondaryTierManager, type DrainResult, type TierFigures } from "../../contracts/secondary-tier-manager.js";
import type { JobResult, TransferJob } from "../../contracts/transfer-job.js";
import { DEFAULT_BLOCK_STORE_LIMITS, type BlockStoreLimits } from "./block-store-limits.js";
import type { BlockTransfer, TransferOutcome } from "./block-transfer.js";
import { asError } from "./checked-io.js";
import { TierEngine } from "./tier-engine.js";

/**
 * A secondary tier from three promise methods: `exists`, `write`, `read`. The base brings the rest of the contract:
 * bounded queues with loads first, look-ups that are shared and cached per request, exactly one result per job, partial
 * success, deadlines, block events, drain and figures.
 *
 * What the three methods may do wrong ends as a failed block or a miss and never as an unhandled rejection: throw,
 * reject, answer nonsense, or never answer. What no base can check is theirs to keep: `write` resolves only when the
 * block is stored whole and can be found, `read` only when `into` is filled whole with the bytes of that very key.
 */
export abstract class BlockStoreTier<TConfig = unknown> extends SecondaryTierManager<TConfig> {
  #engineOrNull: TierEngine | null = null;
  #closing: Promise<void> | null = null;

  /**
   * Which of `keys` are stored whole, in their order.
   *
   * @param ctx the request that asked first; others may share the answer
   */
  protected abstract exists(keys: readonly OffloadKey[], ctx: RequestContext): Promise<boolean[]>;

  /**
   * Stores one block. No other write of the same key is out meanwhile.
   *
   * @param block the bytes, `blockBytes` long: a view of a slot that is the tier's only until the promise settles
   * @param signal aborted when the result is no longer wanted; until the promise settles the slot stays pinned
   */
  protected abstract write(key: OffloadKey, block: Uint8Array, signal: AbortSignal): Promise<void>;

  /**
   * Loads one block. Rejects when the block is absent or damaged, or does not fit.
   *
   * @param into where the bytes go, `blockBytes` long: a view of a slot that is the tier's only until the promise settles
   * @param signal as in {@link write}
   */
  protected abstract read(key: OffloadKey, into: Uint8Array, signal: AbortSignal): Promise<void>;

  /** What bounds the tier; read once, at its first use. Override it to follow the tier's options. */
  protected get limits(): BlockStoreLimits {
    return DEFAULT_BLOCK_STORE_LIMITS;
  }

  /**
   * Stores up to `limits.batchBlocks` blocks of one job; outcome `i` belongs to block `i`. Override it where one call
   * for many blocks is cheaper. The default calls {@link write} for each, and one failure leaves the others alone.
   */
  protected writeBatch(batch: readonly BlockTransfer[], signal: AbortSignal): Promise<readonly TransferOutcome[]> {
    return eachBlock(batch, ({ key, block }) => this.write(key, block, signal));
  }

  /** Loads up to `limits.batchBlocks` blocks of one job, as {@link writeBatch} stores them. */
  protected readBatch(batch: readonly BlockTransfer[], signal: AbortSignal): Promise<readonly TransferOutcome[]> {
    return eachBlock(batch, ({ key, block }) => this.read(key, block, signal));
  }

  /** Drops every look-up verdict. To be called by a `clear` once nothing is stored any more. */
  protected forgetLookups(): void {
    this.#engine.lookups.forget();
  }

  /** These blocks are not stored any more, as after a `remove`: whoever asked for them sees a miss. */
  protected markMiss(keys: readonly OffloadKey[]): void {
    this.#engine.lookups.markMiss(keys);
  }

  /** The tier dropped these blocks by itself, to make room or as damaged: as {@link markMiss}, and a block event. */
  protected markRemoved(keys: readonly OffloadKey[]): void {
    this.#engine.removed(keys);
  }

  /** Whether a block that is held could be had: not while the tier is shut down, or all it runs is overdue. */
  protected get isServing(): boolean {
    return this.#closing === null && !this.#engine.isStalled;
  }

  /**
   * Why none of these blocks can be loaded, or stored, just now, in a sentence; `null` when one may be. As long as there
   * is a reason, loads of them fail and stores are dropped, each at once. Asked at every submit.
   */
  protected outage(_keys: readonly OffloadKey[], _isLoad: boolean): string | null {
    return null;
  }

  override lookup(key: OffloadKey, ctx: RequestContext): LookupResult {
    if (!this.isServing) return LookupResult.Miss;
    return this.#engine.lookups.lookup(key, ctx);
  }

  override submitLoad(job: TransferJob): void {
    this.#engine.transfers.submit(job, true);
  }

  override submitStore(job: TransferJob): void {
    this.#engine.transfers.submit(job, false);
  }

  override getFinishedJobs(): JobResult[] {
    return this.#engine.takeResults();
  }

  override onRequestFinished(ctx: RequestContext): void {
    this.#engine.lookups.finishRequest(ctx.reqId);
  }

  /** Sends the look-ups of the step. */
  override onScheduleEnd(_ctx: ScheduleEndContext): void {
    this.#engine.lookups.flush();
  }

  override takeEvents(): OffloadingEvent[] {
    return this.#engine.takeEvents();
  }

  override hasPendingWork(): boolean {
    return this.#engine.hasPendingWork;
  }

  /** Cancels nothing: what is queued now is worked off. What is submitted later is not waited for. */
  override async drainJobs(options: { deadlineS?: number } = {}): Promise<DrainResult> {
    return { unfinished: await this.#engine.transfers.drain(options.deadlineS) };
  }

  override getStats(): TierFigures {
    return this.#engine.figures;
  }

  /**
   * Takes no more work, ends what is out as failed, aborts its I/O, and waits for that to settle, `limits.deadlineS` at
   * most. A subclass that holds a client overrides this, awaits `super.shutdown()` first, and then closes the client.
   */
  override async shutdown(): Promise<void> {
    this.#closing ??= this.#engine.shutdown();
    await this.#closing;
  }

  /** Made at first use, when the subclass's constructor is done and `limits` may look at its fields. */
  get #engine(): TierEngine {
    this.#engineOrNull ??= new TierEngine({
      tier: this,
      context: this.context,
      limits: this.limits,
      io: {
        read: (batch, signal) => this.readBatch(batch, signal),
        write: (batch, signal) => this.writeBatch(batch, signal),
      },
      exists: (keys, ctx) => this.exists(keys, ctx),
      outage: (keys, isLoad) => this.outage(keys, isLoad),
    });
    return this.#engineOrNull;
  }
}

type MoveBlock = (transfer: BlockTransfer) => Promise<void>;

async function eachBlock(batch: readonly BlockTransfer[], move: MoveBlock): Promise<readonly TransferOutcome[]> {
  return Promise.all(batch.map((transfer) => outcomeOf(transfer, move)));
}

async function outcomeOf(transfer: BlockTransfer, move: MoveBlock): Promise<TransferOutcome> {
  try {
    await move(transfer);
    return transfer.block.byteLength;
  } catch (reason) {
    return asError(reason);
  }
}
