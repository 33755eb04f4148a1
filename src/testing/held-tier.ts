import { LookupResult } from "../contracts/lookup-result.js";
import { Medium } from "../contracts/medium.js";
import type { OffloadKey } from "../contracts/offload-key.js";
import type { RequestContext } from "../contracts/request-context.js";
import { SecondaryTierManager, type DrainResult } from "../contracts/secondary-tier-manager.js";
import type { JobResult, TransferJob } from "../contracts/transfer-job.js";
import { SecondaryTier } from "../decorators/secondary-tier.js";
import { KvTierError } from "../errors/kv-tier-error.js";

/** A job that a {@link HeldTier} was given and has not ended. */
export interface HeldJob {
  readonly job: TransferJob;
  readonly isLoad: boolean;
}

/** How {@link HeldTier.release} ends a job. */
export interface ReleaseOptions {
  /** `false`: the job fails, and nothing was moved. Default `true`. */
  readonly success?: boolean;
  /** With `success: false`, for a load: keys that succeed all the same. */
  readonly successfulKeys?: readonly OffloadKey[];
}

/**
 * A tier in memory that ends no job until the test says so. Look-ups are answered at once. The bytes are moved at the
 * release, so that a test can see what happens to a slot in the meantime. A drain is held too, and with it a close or a
 * reset of the cache, unless {@link holdsDrains} is off.
 */
@SecondaryTier("held", { config: "passthrough", medium: Medium.Cpu })
export class HeldTier extends SecondaryTierManager {
  /** Every job that was ever submitted, in order. */
  readonly submitted: HeldJob[] = [];
  /**
   * Whether a drain waits until the test releases the jobs, or moves the clock to its deadline. Off, a drain ends held
   * jobs as failed, so that a close never waits for a test that is over.
   */
  holdsDrains = true;
  readonly #blocks = new Map<OffloadKey, Uint8Array>();
  readonly #held = new Map<number, HeldJob>();
  #finished: JobResult[] = [];
  #drains: (() => void)[] = [];
  #isClosed = false;

  /** Jobs that are not released, in order. */
  get held(): readonly HeldJob[] {
    return [...this.#held.values()];
  }

  override lookup(key: OffloadKey, _ctx: RequestContext): LookupResult {
    return this.#blocks.has(key) && !this.#isClosed ? LookupResult.Hit : LookupResult.Miss;
  }

  override submitStore(job: TransferJob): void {
    this.#submit({ job, isLoad: false });
  }

  override submitLoad(job: TransferJob): void {
    this.#submit({ job, isLoad: true });
  }

  override getFinishedJobs(): JobResult[] {
    return this.#finished.splice(0);
  }

  /** Pending only with results to collect: a held job is not brought nearer to its end by more steps. */
  override hasPendingWork(): boolean {
    return this.#finished.length > 0;
  }

  /**
   * Ends the held job `jobId`, or every held job when it is left out, and tells the driver. A load of a key that is not
   * stored fails whatever `options` says.
   *
   * @returns how many jobs were ended
   * @throws KvTierError `INVALID_STATE` when `jobId` is not held.
   */
  release(jobId?: number, options: ReleaseOptions = {}): number {
    const jobs = jobId === undefined ? this.held : [this.#heldJob(jobId)];
    for (const held of jobs) this.#end(held, options);
    return jobs.length;
  }

  /** Fails what is held, as a tier may that cancels what is queued; with {@link holdsDrains}, waits for its release. */
  override async drainJobs({ deadlineS = Infinity }: { deadlineS?: number } = {}): Promise<DrainResult> {
    if (!this.holdsDrains) this.release(undefined, { success: false });
    if (this.#held.size > 0 && deadlineS > 0) {
      await new Promise<void>((resolve) => {
        const cancel = deadlineS < Infinity ? this.context.clock.after(deadlineS, resolve) : () => {};
        this.#drains.push(() => {
          cancel();
          resolve();
        });
      });
    }
    return { unfinished: [...this.#held.keys()] };
  }

  override async clear(): Promise<void> {
    this.#blocks.clear();
  }

  override async remove(keys: readonly OffloadKey[]): Promise<void> {
    for (const key of keys) this.#blocks.delete(key);
  }

  /** Fails what is held, and from now on every job. */
  override async shutdown(): Promise<void> {
    this.#isClosed = true;
    this.release(undefined, { success: false });
  }

  #submit(held: HeldJob): void {
    this.submitted.push(held);
    this.#held.set(held.job.jobId, held);
    if (this.#isClosed) this.release(held.job.jobId, { success: false });
  }

  #heldJob(jobId: number): HeldJob {
    const held = this.#held.get(jobId);
    if (held !== undefined) return held;
    const ids = [...this.#held.keys()].join(", ");
    throw new KvTierError("INVALID_STATE", `Job ${jobId} is not held. Held: ${ids === "" ? "none" : ids}.`);
  }

  #end({ job, isLoad }: HeldJob, { success = true, successfulKeys = [] }: ReleaseOptions): void {
    const wanted = new Set(success ? job.keys : successfulKeys);
    const moved = job.keys.filter((key, i) => wanted.has(key) && this.#move(key, job.blockIds[i] ?? -1, isLoad));
    const isWhole = moved.length === job.keys.length;
    this.#held.delete(job.jobId);
    this.#finished.push({
      jobId: job.jobId,
      success: isWhole,
      ...(isLoad && !isWhole && moved.length > 0 ? { successfulKeys: moved } : {}),
      transferBytes: moved.length * this.blockBytes,
    });
    if (this.#held.size === 0) for (const resume of this.#drains.splice(0)) resume();
    this.context.notify();
  }

  #move(key: OffloadKey, blockId: number, isLoad: boolean): boolean {
    const slot = this.context.primaryKvView.block(blockId);
    const stored = this.#blocks.get(key);
    if (isLoad && stored !== undefined) slot.set(stored);
    if (!isLoad) this.#blocks.set(key, new Uint8Array(slot));
    return !isLoad || stored !== undefined;
  }
}
