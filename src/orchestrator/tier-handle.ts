import type { StoreDetector } from "../contracts/backpressure.js";
import type { Logger } from "../contracts/logger.js";
import { LookupResult } from "../contracts/lookup-result.js";
import { OffloadPolicy } from "../contracts/offload-policy.js";
import type { OffloadKey } from "../contracts/offload-key.js";
import type { OffloadingEvent } from "../contracts/offloading-event.js";
import type { RequestContext, ScheduleEndContext } from "../contracts/request-context.js";
import type { DrainResult, SecondaryTierManager, TierFigures } from "../contracts/secondary-tier-manager.js";
import type { TierFilter } from "../contracts/tier-filter.js";
import type { JobResult, TransferJob } from "../contracts/transfer-job.js";
import { reasonOf } from "../errors/factory-errors.js";
import { TierMetrics } from "../metrics/tier-metrics.js";
import { guarded } from "./guarded.js";
import { numberFigures } from "./number-figures.js";
import { readResult, type ReadResult } from "./read-result.js";
import { TierPressure } from "./tier-pressure.js";

/** A tier as `createTiering` hands it over. */
export interface TierAttachment {
  readonly type: string;
  readonly tier: SecondaryTierManager;
  /** Shuts the tier down, once however often it is called. */
  close(): Promise<void>;
}

/**
 * One secondary tier, in its place. Calls go through here so that a method which an out-of-tree tier leaves out is a
 * no-op, and one that throws costs a miss or a failed job and never the caller's request.
 */
export class TierHandle {
  readonly index: number;
  readonly type: string;
  readonly label: string;
  readonly metrics = new TierMetrics();
  readonly pressure: TierPressure;
  readonly #tier: Partial<SecondaryTierManager> & Pick<SecondaryTierManager, "lookup" | "submitLoad" | "submitStore">;
  readonly #attachment: TierAttachment;
  readonly #logger: Logger;
  #isClosed = false;
  #resets = 0;

  constructor(index: number, attachment: TierAttachment, logger: Logger) {
    this.index = index;
    this.type = attachment.type;
    this.label = `${index + 1}:${attachment.type}`;
    this.#attachment = attachment;
    this.#tier = attachment.tier;
    this.#logger = logger;
    this.pressure = new TierPressure(this, logger);
  }

  get detector(): StoreDetector | null {
    return this.#guard("backpressureDetector", () => this.#tier.backpressureDetector) ?? null;
  }

  /** Whether the tier is being cleared: nothing is looked up in it, and nothing stored, until that has ended. */
  get isPaused(): boolean {
    return this.#resets > 0;
  }

  /** Pauses the tier until the returned function is called. */
  pause(): () => void {
    this.#resets++;
    return () => void this.#resets--;
  }

  isAllowedBy(filter: TierFilter | undefined): boolean {
    if (filter === undefined) return true;
    const tier = this.#tier;
    return (
      this.#guard("medium and locality", () =>
        filter.allows({ medium: tier.medium ?? null, locality: tier.locality ?? null }),
      ) ?? false
    );
  }

  /** Whether the tier wants whole requests. */
  onNewRequest(ctx: RequestContext): boolean {
    const answer = this.#guard("onNewRequest", () => this.#tier.onNewRequest?.(ctx));
    return answer?.policy === OffloadPolicy.RequestLevel;
  }

  lookup(key: OffloadKey, ctx: RequestContext): LookupResult {
    try {
      return this.#tier.lookup(key, ctx);
    } catch (error) {
      this.#report("lookup", error);
      return LookupResult.Miss;
    }
  }

  /** `false` when the tier threw instead of taking the job: no result will come. */
  submit(job: TransferJob): boolean {
    try {
      if (job.isPromotion) this.#tier.submitLoad(job);
      else this.#tier.submitStore(job);
      return true;
    } catch (error) {
      this.#report(job.isPromotion ? "submitLoad" : "submitStore", error);
      return false;
    }
  }

  /**
   * The result of a job that the tier threw at. It may have begun some of the I/O before it threw, so the slots stay out
   * of use until none of the tier's I/O touches the pool.
   */
  refusalOf({ jobId }: Pick<TransferJob, "jobId">): JobResult {
    return { jobId, success: false, blocksReleased: this.drain(undefined) };
  }

  /** What has finished, as far as the tier's report can be read. */
  getFinishedJobs(): ReadResult[] {
    const reported: unknown = this.#guard("getFinishedJobs", () => this.#tier.getFinishedJobs?.()) ?? [];
    const read = Array.isArray(reported) ? Array.from(reported, readResult) : [null];
    if (read.includes(null)) this.#report("getFinishedJobs", new TypeError("Its answer is no array of JobResult."));
    return read.filter((result) => result !== null);
  }

  touch(keys: readonly OffloadKey[], ctx: RequestContext): void {
    this.#guard("touch", () => this.#tier.touch?.(keys, ctx));
  }

  onRequestFinished(ctx: RequestContext): void {
    if (this.#isClosed) return;
    this.#guard("onRequestFinished", () => this.#tier.onRequestFinished?.(ctx));
  }

  onScheduleEnd(ctx: ScheduleEndContext): void {
    this.#guard("onScheduleEnd", () => this.#tier.onScheduleEnd?.(ctx));
  }

  takeEvents(): readonly OffloadingEvent[] {
    return this.#guard("takeEvents", () => this.#tier.takeEvents?.()) ?? [];
  }

  hasPendingWork(): boolean {
    return !this.#isClosed && (this.#guard("hasPendingWork", () => this.#tier.hasPendingWork?.()) ?? false);
  }

  figures(): TierFigures {
    return this.#guard("getStats", () => numberFigures(this.#tier.getStats?.())) ?? {};
  }

  async drain(deadlineS: number | undefined): Promise<DrainResult> {
    return (await this.#tier.drainJobs?.(deadlineS === undefined ? {} : { deadlineS })) ?? { unfinished: [] };
  }

  /** `false` when the tier cannot clear, failed to, or is closed. */
  async clear(): Promise<boolean> {
    if (this.#tier.clear === undefined || this.#isClosed) return false;
    try {
      await this.#tier.clear();
      return true;
    } catch (error) {
      // A tier that is closed meanwhile has said why, and it is no fault of its.
      if (!this.#isClosed) this.#report("clear", error);
      return false;
    }
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#attachment.close();
  }

  #guard<T>(method: string, call: () => T): T | undefined {
    return guarded(this.#logger, `Tier ${this.label}: ${method}`, call);
  }

  #report(method: string, error: unknown): void {
    this.#logger.error(`Tier ${this.label}: ${method} threw, against its contract.`, { error: reasonOf(error) });
  }
}
