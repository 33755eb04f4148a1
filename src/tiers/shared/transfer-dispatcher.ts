import type { Clock } from "../../contracts/clock.js";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { JobResult, TransferJob } from "../../contracts/transfer-job.js";
import { AbortControllers } from "./abort-controllers.js";
import { BlockJob, type JobBlock } from "./block-job.js";
import { BlockQueue } from "./block-queue.js";
import type { BlockStoreLimits } from "./block-store-limits.js";
import type { BlockTransfer, TransferIo, TransferOutcome } from "./block-transfer.js";
import { asError, checkedIo } from "./checked-io.js";
import type { DeadlineQueue } from "./deadline-queue.js";
import { InFlightSlots } from "./in-flight-slots.js";
import { KeyLines } from "./key-lines.js";

/** What the dispatcher works with, and whom it tells. */
export interface DispatcherParts {
  readonly limits: BlockStoreLimits;
  readonly clock: Clock;
  readonly deadlines: DeadlineQueue;
  readonly io: TransferIo;
  /** Why none of these blocks can be moved now; `null` when one may be. */
  readonly outage: (keys: readonly OffloadKey[], isLoad: boolean) => string | null;
  /** The bytes of a slot; throws when there is no such slot. */
  readonly slot: (blockId: number) => Uint8Array;
  /** A block was stored whole, and in time. */
  onStored(key: OffloadKey): void;
  /** A job has its one result. */
  onFinished(job: BlockJob, result: JobResult): void;
}

/**
 * Cuts jobs into blocks, queues them, and keeps the in-flight slots busy: loads first, each queue in order. Every job
 * ends in exactly one result; one that is past its deadline is given up, and what its I/O still does is ignored.
 */
export class TransferDispatcher {
  readonly #parts: DispatcherParts;
  readonly #slots: InFlightSlots;
  readonly #loads = new BlockQueue();
  readonly #stores = new BlockQueue();
  readonly #lines = new KeyLines();
  readonly #aborts = new AbortControllers();
  /** Jobs that are not reported yet, and those given up whose I/O may still touch their slots. */
  readonly #open = new Set<BlockJob>();
  /** For each drain, the jobs it still waits for, and what ends its wait. */
  readonly #drains = new Map<Set<BlockJob>, () => void>();
  #unreported = 0;
  #isClosed = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#slots = new InFlightSlots(parts.limits.concurrency);
  }

  get figures(): Readonly<Record<string, number>> {
    return {
      queuedLoads: this.#loads.length,
      queuedStores: this.#queuedStores,
      running: this.#slots.taken,
      overdue: this.#slots.overdue,
    };
  }

  /** Whether no load can start until overdue I/O settles. */
  get isStalled(): boolean {
    return this.#slots.isStalled(true);
  }

  get hasUnreportedJobs(): boolean {
    return this.#unreported > 0;
  }

  /** Takes a job; what can start, starts at once. */
  submit(job: TransferJob, isLoad: boolean): void {
    const open = new BlockJob(job, isLoad, this.#aborts);
    const refusal = this.#refusalOf(open, job.keys);
    if (refusal !== null) {
      this.#refuse(open, refusal);
      return;
    }
    this.#open.add(open);
    this.#unreported++;
    if (open.isSettled) {
      this.#finish(open);
      return;
    }
    open.cancelDeadline = this.#parts.deadlines.add(() => this.#giveUp(open, deadlinePassed(this.#parts.limits)));
    for (const block of open.blocks) {
      if (isLoad) this.#loads.add(block);
      else if (this.#lines.join(block)) this.#stores.add(block);
    }
    this.#startWhatCan();
  }

  /**
   * Waits for the jobs that are open now: later ones are not waited for, or a busy tier would never be drained.
   *
   * @returns ids of those that are still open after `deadlineS` seconds
   */
  async drain(deadlineS = Infinity): Promise<number[]> {
    const awaited = new Set(this.#open);
    if (awaited.size > 0 && deadlineS > 0) await this.#allClosed(awaited, deadlineS);
    return Array.from(awaited, (job) => job.jobId);
  }

  /** Takes no more jobs, gives up those that are out, and aborts their I/O. */
  close(): void {
    this.#isClosed = true;
    for (const job of this.#open) if (!job.isReported) this.#giveUp(job, new Error("The tier is shut down."));
  }

  async #allClosed(awaited: Set<BlockJob>, deadlineS: number): Promise<void> {
    let cancelTimer = (): void => {};
    await new Promise<void>((resolve) => {
      this.#drains.set(awaited, resolve);
      if (deadlineS < Infinity) cancelTimer = this.#parts.clock.after(deadlineS, resolve);
    });
    cancelTimer();
    this.#drains.delete(awaited);
  }

  get #queuedStores(): number {
    return this.#stores.length + this.#lines.following;
  }

  #refusalOf(job: BlockJob, keys: readonly OffloadKey[]): string | null {
    if (this.#isClosed) return "The tier is shut down.";
    const outage = this.#parts.outage(keys, job.isLoad);
    if (outage !== null) return outage;
    if (this.#slots.isStalled(job.isLoad)) return "The tier is stalled: all it has running is past its deadline.";
    const { maxQueuedBlocks } = this.#parts.limits;
    const waiting = this.#queuedStores;
    if (job.isLoad || waiting + job.blocks.length <= maxQueuedBlocks) return null;
    return `The queue is full: of ${maxQueuedBlocks} blocks that may wait, ${waiting} do.`;
  }

  #refuse(job: BlockJob, reason: string): void {
    const result = { ...job.giveUp(new Error(reason), this.#parts.clock.now()), success: false };
    this.#parts.onFinished(job, job.isLoad ? result : { ...result, dropped: true });
  }

  #startWhatCan(): void {
    while (this.#slots.isFree(true) && this.#start(this.#loads));
    while (this.#slots.isFree(false) && this.#start(this.#stores));
  }

  /** Starts the next batch, if one waits. */
  #start(queue: BlockQueue): boolean {
    const batch = queue.takeBatch(this.#parts.limits.batchBlocks);
    const job = batch[0]?.owner;
    if (job === undefined) return false;
    this.#slots.take(job.isLoad);
    job.batchStarted(batch, this.#parts.clock.now());
    void this.#run(job, batch);
    return true;
  }

  async #run(job: BlockJob, batch: readonly JobBlock[]): Promise<void> {
    const outcomes = await this.#move(job, batch);
    const isLate = job.isReported;
    this.#slots.release(job.isLoad, isLate);
    job.batchEnded(this.#parts.clock.now());
    batch.forEach((block, i) => this.#settle(block, isLate ? undefined : outcomes[i]));
    if (isLate && job.batchesOut === 0) this.#close(job);
    this.#startWhatCan();
  }

  /** Never rejects. A block whose slot does not exist fails here, so that no tier sees it. */
  async #move(job: BlockJob, batch: readonly JobBlock[]): Promise<readonly TransferOutcome[]> {
    const { io, slot } = this.#parts;
    const transfers: BlockTransfer[] = [];
    const faults = new Map<JobBlock, Error>();
    for (const block of batch) {
      const { key, blockId } = block;
      try {
        transfers.push({ key, blockId, block: slot(blockId) });
      } catch (error) {
        faults.set(block, asError(error));
      }
    }
    if (transfers.length === 0) return [...faults.values()];
    const move = (): unknown => (job.isLoad ? io.read(transfers, job.signal) : io.write(transfers, job.signal));
    const outcomes = await checkedIo(move, transfers.length);
    if (faults.size === 0) return outcomes;
    let moved = 0;
    return batch.map((block) => faults.get(block) ?? outcomes[moved++] ?? NO_OUTCOME);
  }

  /** @param outcome `undefined` when it came too late to count */
  #settle(block: JobBlock, outcome: TransferOutcome | undefined): void {
    if (outcome !== undefined) this.#count(block, outcome);
    if (block.owner.isLoad) return;
    if (typeof outcome === "number") {
      this.#parts.onStored(block.key);
      for (const follower of this.#lines.stored(block.key)) this.#count(follower, 0);
    } else {
      this.#leaveLine(block);
    }
  }

  #count(block: JobBlock, outcome: TransferOutcome): void {
    const job = block.owner;
    job.settle(block, outcome);
    if (job.isSettled) this.#finish(job);
  }

  /** Whoever is next in line writes for itself: another job's failure is not its own. */
  #leaveLine(block: JobBlock): void {
    const next = this.#lines.leave(block);
    if (next !== null) this.#stores.add(next);
  }

  #finish(job: BlockJob): void {
    job.cancelDeadline();
    this.#report(job, job.finish());
  }

  #giveUp(job: BlockJob, reason: Error): void {
    job.cancelDeadline();
    const waiting = job.blocks.filter((block) => block.state === "waiting");
    const following = job.blocks.filter((block) => block.state === "following");
    const result = job.giveUp(reason, this.#parts.clock.now());
    (job.isLoad ? this.#loads : this.#stores).forget(waiting.length);
    // Followers first: else a line could pass to a block of this very job. Blocks that run stay first in theirs.
    if (!job.isLoad) for (const block of [...following, ...waiting]) this.#leaveLine(block);
    this.#slots.markOverdue(job.isLoad, job.batchesOut);
    this.#report(job, result);
  }

  #report(job: BlockJob, result: JobResult): void {
    this.#unreported--;
    if (job.batchesOut === 0) this.#close(job);
    this.#parts.onFinished(job, result);
  }

  #close(job: BlockJob): void {
    job.close();
    this.#open.delete(job);
    for (const [awaited, done] of this.#drains) if (awaited.delete(job) && awaited.size === 0) done();
  }
}

const NO_OUTCOME = new Error("The block was not moved.");

function deadlinePassed(limits: BlockStoreLimits): Error {
  return new Error(`Not finished within ${limits.deadlineS} s.`);
}
