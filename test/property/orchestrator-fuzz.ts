import { expect } from "@jest/globals";
import type { OffloadKey } from "../../src/contracts/offload-key.js";
import type { LookupResult } from "../../src/contracts/lookup-result.js";
import { OffloadPolicy, type RequestOffloading } from "../../src/contracts/offload-policy.js";
import type { RequestContext } from "../../src/contracts/request-context.js";
import { SecondaryTierManager, type DrainResult } from "../../src/contracts/secondary-tier-manager.js";
import type { TierContext } from "../../src/contracts/tier-context.js";
import type { JobResult, TransferJob } from "../../src/contracts/transfer-job.js";
import { bytesOf, keyOf } from "../unit/orchestrator/step-rig.js";

/** How a job of a {@link FuzzTier} ends. */
export type Ending = "success" | "failure" | "partial" | "late" | "garbage" | "foreign" | "twice" | "dropped";

const BYTES_OF = new Map(Array.from({ length: 64 }, (_, n) => [keyOf(n), bytesOf(n)]));

/** The bytes that belong to `key`. */
export function ownBytes(key: OffloadKey): Uint8Array {
  const bytes = BYTES_OF.get(key);
  if (bytes === undefined) throw new Error(`No bytes for ${key}.`);
  return bytes;
}

/** As `expect(bytes).toEqual(ownBytes(key))`, but fast enough for thousands of runs. */
export function expectOwnBytes(key: OffloadKey, bytes: Uint8Array): void {
  if (!Buffer.from(bytes).equals(ownBytes(key))) expect(new Uint8Array(bytes)).toEqual(ownBytes(key));
}

const insist = (condition: boolean, rule: string): void => {
  if (!condition) throw new Error(`Broken: ${rule}`);
};

/**
 * A tier in memory that ends its jobs when and how the test says, also against its contract. It checks what it is
 * given: a slot whose store it holds must keep the bytes of its key, whatever happens around it.
 */
export class FuzzTier extends SecondaryTierManager {
  readonly content = new Map<OffloadKey, Uint8Array>();
  readonly open: TransferJob[] = [];
  /** I/O that outlives its job: run to let it touch its slots a last time, and settle. */
  readonly late: (() => void)[] = [];
  /** Per request: announced and not finished. */
  readonly live = new Set<string>();
  readonly #policy: RequestOffloading["policy"];
  #results: JobResult[] = [];
  #isClosed = false;

  constructor(context: TierContext, wantsWholeRequests: boolean) {
    super(context);
    this.#policy = wantsWholeRequests ? OffloadPolicy.RequestLevel : OffloadPolicy.ChunkLevel;
  }

  override onNewRequest({ reqId }: RequestContext): RequestOffloading {
    insist(!this.live.has(reqId), "a request is announced once");
    this.live.add(reqId);
    return { policy: this.#policy };
  }

  override onRequestFinished({ reqId }: RequestContext): void {
    insist(this.live.delete(reqId), "a request is finished once");
  }

  override lookup(key: OffloadKey, { reqId }: RequestContext): LookupResult {
    insist(this.live.has(reqId), "look-ups come between announcement and finish");
    return this.content.has(key) ? "hit" : "miss";
  }

  override submitLoad(job: TransferJob): void {
    this.#submit(job);
  }

  override submitStore(job: TransferJob): void {
    this.#submit(job);
    this.#expectOwnBytes(job);
  }

  override getFinishedJobs(): JobResult[] {
    return this.#results.splice(0);
  }

  override hasPendingWork(): boolean {
    return this.#results.length > 0;
  }

  override async drainJobs(): Promise<DrainResult> {
    return { unfinished: this.open.map(({ jobId }) => jobId) };
  }

  override async clear(): Promise<void> {
    this.content.clear();
  }

  override async shutdown(): Promise<void> {
    this.#isClosed = true;
    while (this.open.length > 0) this.end(0, "failure");
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  end(index: number, ending: Ending): void {
    const [job] = this.open.splice(index, 1);
    if (job === undefined) return;
    const { jobId, isPromotion } = job;
    if (!isPromotion) this.#expectOwnBytes(job);
    switch (ending) {
      case "success":
      case "twice": {
        const moved = this.#move(job, job.keys);
        this.#results.push(this.#resultOf(job, moved));
        if (ending === "twice") this.#results.push({ jobId, success: true }, { jobId: 1_000_000, success: true });
        return;
      }
      case "partial":
        this.#results.push(this.#resultOf(job, this.#move(job, isPromotion ? job.keys.slice(1) : [])));
        return;
      case "garbage":
        if (isPromotion) this.#spoil(job);
        this.#results.push({ jobId, success: false });
        return;
      case "late":
        this.#results.push({ jobId, success: false, blocksReleased: this.#lateIoOf(job) });
        return;
      case "foreign":
        this.#results.push({ jobId, success: false, successfulKeys: [keyOf(63)] });
        return;
      case "dropped":
        this.#results.push({ jobId, success: false, ...(isPromotion ? {} : { dropped: true }) });
        return;
      case "failure":
        this.#results.push({ jobId, success: false });
    }
  }

  #submit(job: TransferJob): void {
    insist(this.live.has(job.reqContext.reqId), "submits come between announcement and finish");
    insist(job.blockIds.length === job.keys.length, "each key of a job has its slot");
    this.open.push(job);
  }

  #resultOf({ jobId, keys, isPromotion }: TransferJob, moved: OffloadKey[]): JobResult {
    const success = moved.length === keys.length;
    return { jobId, success, ...(isPromotion && !success && moved.length > 0 ? { successfulKeys: moved } : {}) };
  }

  #move({ keys, blockIds, isPromotion }: TransferJob, wanted: readonly OffloadKey[]): OffloadKey[] {
    return keys.filter((key, i) => {
      if (!wanted.includes(key)) return false;
      const slot = this.#slot(blockIds, i);
      const stored = this.content.get(key);
      if (!isPromotion) this.content.set(key, new Uint8Array(slot));
      else if (stored === undefined) return false;
      else slot.set(stored);
      return true;
    });
  }

  #lateIoOf(job: TransferJob): Promise<void> {
    const settled = new Promise<void>((resolve, reject) => {
      this.late.push(() => {
        if (job.isPromotion) this.#spoil(job);
        else this.#expectOwnBytes(job);
        if (job.jobId % 2 === 0) resolve();
        else reject(new Error("late"));
      });
    });
    // It may settle before anybody has collected the result.
    settled.catch(() => {});
    return settled;
  }

  #spoil({ keys, blockIds }: TransferJob): void {
    keys.forEach((_, i) => this.#slot(blockIds, i).fill(0xee));
  }

  #expectOwnBytes({ keys, blockIds }: TransferJob): void {
    keys.forEach((key, i) => expectOwnBytes(key, this.#slot(blockIds, i)));
  }

  #slot(blockIds: Int32Array, i: number): Uint8Array {
    return this.context.primaryKvView.block(blockIds[i] ?? -1);
  }
}
