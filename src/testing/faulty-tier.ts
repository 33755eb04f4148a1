import type { StoreDetector } from "../contracts/backpressure.js";
import { LookupResult } from "../contracts/lookup-result.js";
import type { Locality, Medium } from "../contracts/medium.js";
import type { RequestOffloading } from "../contracts/offload-policy.js";
import type { OffloadKey } from "../contracts/offload-key.js";
import type { OffloadingEvent } from "../contracts/offloading-event.js";
import type { RequestContext, ScheduleEndContext } from "../contracts/request-context.js";
import { SecondaryTierManager, type DrainResult, type TierFigures } from "../contracts/secondary-tier-manager.js";
import type { TierContext } from "../contracts/tier-context.js";
import type { JobResult, TransferJob } from "../contracts/transfer-job.js";
import { seededRandom } from "./seeded-random.js";

export interface FaultOptions {
  /** The same seed gives the same faults for the same calls. Default 1. */
  readonly seed?: number;
  /** Share of jobs and look-ups that go wrong, 0 to 1. Default 0. */
  readonly errorRate?: number;
  /** Longest time a result is held back, seconds on the tier's clock; each is drawn from 0 to this. Default 0. */
  readonly delayS?: number;
}

/**
 * Wraps any tier and makes a share of what it does fail: stores that never reach it, or that it did and reports as
 * failed; loads that fail whole or in part; look-ups that miss. It may hold results back, so that they also come out of
 * order. It keeps the contract: every job has one result, and a key that is reported as loaded is loaded.
 */
export class FaultyTier extends SecondaryTierManager {
  readonly #tier: SecondaryTierManager;
  readonly #random: () => number;
  readonly #errorRate: number;
  readonly #delayS: number;
  readonly #loads = new Map<number, TransferJob>();
  readonly #delayed = new Set<() => void>();
  #ready: JobResult[] = [];
  #injected = 0;

  constructor(tier: SecondaryTierManager, { seed = 1, errorRate = 0, delayS = 0 }: FaultOptions = {}) {
    super(contextOf(tier));
    this.#tier = tier;
    this.#random = seededRandom(seed);
    this.#errorRate = errorRate;
    this.#delayS = delayS;
    if (tier.clear !== undefined) this.clear = async () => tier.clear?.();
    if (tier.remove !== undefined) this.remove = async (keys) => tier.remove?.(keys);
  }

  override get tierType(): string {
    return this.#tier.tierType;
  }

  override get medium(): Medium | null {
    return this.#tier.medium;
  }

  override get locality(): Locality | null {
    return this.#tier.locality;
  }

  override get blockBytes(): number {
    return this.#tier.blockBytes;
  }

  override get backpressureDetector(): StoreDetector | null {
    return this.#tier.backpressureDetector;
  }

  override initialize(): Promise<void> {
    return this.#tier.initialize();
  }

  override onNewRequest(ctx: RequestContext): RequestOffloading {
    return this.#tier.onNewRequest(ctx);
  }

  override lookup(key: OffloadKey, ctx: RequestContext): LookupResult {
    const verdict = this.#tier.lookup(key, ctx);
    return verdict === LookupResult.Hit && this.#goesWrong() ? LookupResult.Miss : verdict;
  }

  override submitStore(job: TransferJob): void {
    if (this.#goesWrong()) this.#finish({ jobId: job.jobId, success: false });
    else this.#tier.submitStore(job);
  }

  override submitLoad(job: TransferJob): void {
    if (this.#goesWrong()) {
      this.#finish({ jobId: job.jobId, success: false });
      return;
    }
    this.#loads.set(job.jobId, job);
    this.#tier.submitLoad(job);
  }

  override getFinishedJobs(): JobResult[] {
    for (const result of this.#tier.getFinishedJobs()) this.#finish(this.#spoilt(result));
    return this.#ready.splice(0);
  }

  override touch(keys: readonly OffloadKey[], ctx: RequestContext): void {
    this.#tier.touch(keys, ctx);
  }

  override onRequestFinished(ctx: RequestContext): void {
    this.#tier.onRequestFinished(ctx);
  }

  override onScheduleEnd(ctx: ScheduleEndContext): void {
    this.#tier.onScheduleEnd(ctx);
  }

  override takeEvents(): OffloadingEvent[] {
    return this.#tier.takeEvents();
  }

  override hasPendingWork(): boolean {
    return this.#tier.hasPendingWork() || this.#delayed.size > 0 || this.#ready.length > 0;
  }

  /** Results that were held back are ready when this resolves. */
  override async drainJobs(options?: { deadlineS?: number }): Promise<DrainResult> {
    const drained = await this.#tier.drainJobs(options);
    for (const result of this.#tier.getFinishedJobs()) this.#ready.push(this.#spoilt(result));
    this.#deliverAll();
    return drained;
  }

  /** The figures of the wrapped tier, and `injectedFaults`. */
  override getStats(): TierFigures {
    return { ...this.#tier.getStats(), injectedFaults: this.#injected };
  }

  override async shutdown(): Promise<void> {
    await this.#tier.shutdown();
    this.#deliverAll();
  }

  #goesWrong(): boolean {
    const goesWrong = this.#random() < this.#errorRate;
    if (goesWrong) this.#injected++;
    return goesWrong;
  }

  /** A load that went well may lose some of its keys, a store its acknowledgement. */
  #spoilt(result: JobResult): JobResult {
    const load = this.#loads.get(result.jobId);
    this.#loads.delete(result.jobId);
    if (!result.success || !this.#goesWrong()) return result;
    const keys = load?.keys ?? [];
    const successfulKeys = keys.filter(() => this.#random() < 0.5);
    if (successfulKeys.length === keys.length) successfulKeys.pop();
    return { ...result, success: false, ...(successfulKeys.length > 0 ? { successfulKeys } : {}) };
  }

  #finish(result: JobResult): void {
    const deliver = (): void => {
      if (!this.#delayed.delete(deliver)) return;
      this.#ready.push(result);
      this.context.notify();
    };
    this.#delayed.add(deliver);
    if (this.#delayS > 0) this.context.clock.after(this.#random() * this.#delayS, deliver);
    else deliver();
  }

  #deliverAll(): void {
    for (const deliver of this.#delayed) deliver();
  }
}

/** The context is the wrapped tier's own business, but the wrapper needs the same clock and the same `notify`. */
function contextOf(tier: SecondaryTierManager): TierContext {
  return Reflect.get(tier, "context") as TierContext;
}
