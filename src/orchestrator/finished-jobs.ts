import type { Logger } from "../contracts/logger.js";
import type { JobResult } from "../contracts/transfer-job.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import type { Cascades } from "./cascades.js";
import type { JobLedger, Misreport, OpenJob } from "./job-ledger.js";
import type { Promotions } from "./promotions.js";
import type { ReadResult } from "./read-result.js";
import type { TierHandle } from "./tier-handle.js";

export interface FinishedJobDependencies {
  readonly tiers: readonly TierHandle[];
  readonly ledger: JobLedger;
  readonly promotions: Promotions;
  readonly cascades: Cascades;
  readonly logger: Logger;
}

/** Takes in what the tiers report, each job once, and nothing that is not theirs to report. */
export class FinishedJobs {
  readonly #deps: FinishedJobDependencies;
  /** Jobs that stay open because of it, with the report. */
  readonly #misreported = new Map<number, JobResult>();

  constructor(deps: FinishedJobDependencies) {
    this.#deps = deps;
  }

  /**
   * @throws KvTierError `INVALID_STATE`, after everything else was taken in, when a tier reported a key that is not of
   *   the job. The job stays open: its blocks are neither readable nor free.
   */
  collect(): void {
    let fault: KvTierError | undefined;
    for (const tier of this.#deps.tiers) {
      for (const read of tier.getFinishedJobs()) fault = this.#take(tier, read) ?? fault;
    }
    if (fault !== undefined) throw fault;
  }

  /** Ends the jobs that were reported with foreign keys, as failed. */
  failMisreported(): void {
    for (const [jobId, { blocksReleased }] of this.#misreported) {
      const open = this.#deps.ledger.take(jobId);
      const late = blocksReleased === undefined ? {} : { blocksReleased };
      if (open !== undefined) this.#finish(open, { jobId, success: false, ...late });
    }
  }

  #take(tier: TierHandle, read: ReadResult): KvTierError | undefined {
    // Of a report that makes no sense nothing may be believed, not even that the I/O is over.
    const result = read.result ?? tier.refusalOf(read);
    const closed = this.#deps.ledger.close(tier, result);
    if (typeof closed === "string") return this.#onMisreport(tier, result, closed);
    if (read.result === null)
      this.#deps.logger.error(`Tier ${tier.label}: its report of job ${read.jobId} is malformed.`);
    this.#finish(closed, result);
    return undefined;
  }

  #finish(open: OpenJob, result: JobResult): void {
    const { promotions, cascades } = this.#deps;
    this.#misreported.delete(result.jobId);
    if (open.batch === null) cascades.complete(open, result);
    else promotions.complete(open, open.batch, result);
  }

  #onMisreport(tier: TierHandle, result: JobResult, fault: Misreport): KvTierError | undefined {
    const { jobId } = result;
    const message = `Tier ${tier.label} reported job ${jobId} against its contract: ${fault}.`;
    if (fault !== "foreign key") {
      this.#deps.logger.error(`${message} The report is ignored.`);
      return undefined;
    }
    this.#misreported.set(jobId, result);
    return new KvTierError("INVALID_STATE", `${message} 'successfulKeys' may name only keys of the job.`);
  }
}
