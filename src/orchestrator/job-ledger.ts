import type { OffloadKey } from "../contracts/offload-key.js";
import type { JobResult, TransferJob } from "../contracts/transfer-job.js";
import type { PromotionBatch } from "./promotion-batch.js";
import type { TierHandle } from "./tier-handle.js";

/** A job that a tier has taken and not reported. */
export interface OpenJob {
  readonly job: TransferJob;
  /** The keys of the job and their slots. Its own lists are the tier's, which may change them. */
  readonly keys: readonly OffloadKey[];
  readonly slots: readonly number[];
  readonly tier: TierHandle;
  /** What is promoted by a load; `null`: the job is a store. */
  readonly batch: PromotionBatch | null;
}

/** What a tier reported against its contract. */
export type Misreport = "unknown job" | "job of another tier" | "foreign key";

/** What of the ledger is for others to see. */
export type JobFigures = Pick<JobLedger, "lastId" | "ended" | "hasCascades">;

/** Every job that is out, by id. Ids count up from 0, so iteration is in order of submission. */
export class JobLedger {
  readonly #open = new Map<number, OpenJob>();
  #nextId = 0;

  /** The id of the last job; -1 before the first. */
  get lastId(): number {
    return this.#nextId - 1;
  }

  /** Jobs that were submitted and are not out any more. */
  get ended(): number {
    return this.#nextId - this.#open.size;
  }

  get size(): number {
    return this.#open.size;
  }

  nextId(): number {
    return this.#nextId++;
  }

  add(open: OpenJob): void {
    this.#open.set(open.job.jobId, open);
  }

  /** Closes the job that `result` ends, if the report is sound; else says what is wrong and changes nothing. */
  close(tier: TierHandle, result: JobResult): OpenJob | Misreport {
    const open = this.#open.get(result.jobId);
    if (open === undefined) return "unknown job";
    if (open.tier !== tier) return "job of another tier";
    if (hasForeignKey(open.keys, result.successfulKeys)) return "foreign key";
    this.#open.delete(result.jobId);
    return open;
  }

  /** Closes a job without a report. */
  take(jobId: number): OpenJob | undefined {
    const open = this.#open.get(jobId);
    this.#open.delete(jobId);
    return open;
  }

  /** Ids of the jobs that `tier` has taken and not reported. */
  idsOf(tier: TierHandle): number[] {
    return [...this.#open.values()].filter((open) => open.tier === tier).map(({ job }) => job.jobId);
  }

  /** Whether a cascade with an id up to `jobId` is out. */
  hasCascades(jobId: number): boolean {
    for (const [id, { batch }] of this.#open) {
      if (id > jobId) return false;
      if (batch === null) return true;
    }
    return false;
  }
}

function hasForeignKey(keys: readonly OffloadKey[], reported: readonly OffloadKey[] | undefined): boolean {
  if (reported === undefined || reported.length === 0) return false;
  const own = new Set(keys);
  return reported.some((key) => !own.has(key));
}
