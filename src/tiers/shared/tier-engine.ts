import { Medium } from "../../contracts/medium.js";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { OffloadingEvent } from "../../contracts/offloading-event.js";
import type { RequestContext } from "../../contracts/request-context.js";
import type { SecondaryTierManager, TierFigures } from "../../contracts/secondary-tier-manager.js";
import type { TierContext } from "../../contracts/tier-context.js";
import type { JobResult } from "../../contracts/transfer-job.js";
import { reasonOf } from "../../errors/factory-errors.js";
import { AsyncLookup } from "./async-lookup.js";
import type { BlockJob } from "./block-job.js";
import { checkLimits, type BlockStoreLimits } from "./block-store-limits.js";
import type { TransferIo } from "./block-transfer.js";
import { DeadlineQueue } from "./deadline-queue.js";
import { FailureLog } from "./failure-log.js";
import { TransferDispatcher } from "./transfer-dispatcher.js";
import { TransferFigures } from "./transfer-figures.js";

export interface TierEngineParts {
  /** Whose engine this is: for its name, medium and locality. */
  readonly tier: SecondaryTierManager;
  readonly context: TierContext;
  readonly limits: BlockStoreLimits;
  readonly io: TransferIo;
  readonly exists: (keys: readonly OffloadKey[], ctx: RequestContext) => unknown;
  /** Why none of these blocks can be moved now; `null` when one may be. */
  readonly outage: (keys: readonly OffloadKey[], isLoad: boolean) => string | null;
}

/**
 * The works behind a `BlockStoreTier`: joins transfers and look-ups, so that each outcome of the one corrects the
 * verdicts of the other, and keeps results and events until they are collected.
 */
export class TierEngine {
  readonly transfers: TransferDispatcher;
  readonly lookups: AsyncLookup;
  readonly #parts: TierEngineParts;
  readonly #figures = new TransferFigures();
  readonly #failures: FailureLog;
  #results: JobResult[] = [];
  #events: OffloadingEvent[] = [];

  constructor(parts: TierEngineParts) {
    const { context, io } = parts;
    const limits = checkLimits(parts.limits, parts.tier.constructor.name);
    const deadlines = new DeadlineQueue(context.clock, limits.deadlineS);
    this.#parts = parts;
    this.#failures = new FailureLog(context.logger, context.clock);
    this.lookups = new AsyncLookup({
      deadlines,
      failures: this.#failures,
      tierType: context.tierType,
      maxOverdue: limits.concurrency,
      exists: parts.exists,
      onProbeEnded: () => context.notify(),
    });
    this.transfers = new TransferDispatcher({
      limits,
      clock: context.clock,
      deadlines,
      io,
      outage: parts.outage,
      slot: (blockId) => context.primaryKvView.block(blockId),
      onStored: (key) => this.lookups.markHit(key),
      onFinished: (job, result) => this.#finished(job, result),
    });
  }

  /** Whether loads or look-ups would be in vain: whatever is held, nobody could have it. */
  get isStalled(): boolean {
    return this.transfers.isStalled || this.lookups.isStalled;
  }

  get hasPendingWork(): boolean {
    return this.#results.length > 0 || this.transfers.hasUnreportedJobs || this.lookups.hasPendingWork;
  }

  get figures(): TierFigures {
    return {
      ...this.transfers.figures,
      ...this.#figures.all,
      lookupsInFlight: this.lookups.inFlight,
      lookupEntries: this.lookups.size,
      stalled: this.isStalled ? 1 : 0,
    };
  }

  takeResults(): JobResult[] {
    const results = this.#results;
    if (results.length > 0) this.#results = [];
    return results;
  }

  takeEvents(): OffloadingEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  /** The tier dropped blocks that it had stored. */
  removed(keys: readonly OffloadKey[]): void {
    this.lookups.markMiss(keys);
    this.#record(keys, true);
    // Those who follow the events get them at the end of a step.
    if (this.#events.length > 0) this.#parts.context.notify();
  }

  async shutdown(): Promise<void> {
    this.transfers.close();
    this.lookups.close();
    await this.transfers.drain(this.#parts.limits.deadlineS);
  }

  /** Verdicts are put right before anyone is told, and the log, which may be out of tree, comes last. */
  #finished(job: BlockJob, result: JobResult): void {
    if (!result.success && job.isLoad) this.lookups.markMiss(job.failedKeys);
    this.#figures.count(job, result);
    if (result.success && !job.isLoad) {
      this.#record(
        job.blocks.map((block) => block.key),
        false,
      );
    }
    this.#results.push(result);
    this.#parts.context.notify();
    this.#log(job, result);
  }

  #record(keys: readonly OffloadKey[], removed: boolean): void {
    if (this.#parts.context.enableKvEvents !== true || keys.length === 0) return;
    const { medium, locality } = this.#parts.tier;
    this.#events.push({
      keys,
      medium: medium ?? Medium.Storage,
      removed,
      ...(locality === null ? {} : { locality }),
    });
  }

  #log(job: BlockJob, result: JobResult): void {
    if (result.success) return;
    const { firstError } = job;
    const fields = {
      tier: this.#parts.context.tierType,
      jobId: job.jobId,
      blocks: job.blocks.length,
      failed: job.failed,
      ...(firstError !== null && { error: reasonOf(firstError) }),
    };
    const code: unknown = firstError !== null && "code" in firstError ? firstError.code : undefined;
    this.#failures.failed(`A ${job.isLoad ? "load" : "store"} failed`, fields, typeof code === "string" ? code : "");
  }
}
