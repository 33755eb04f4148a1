import type { JobResult } from "../../contracts/transfer-job.js";
import type { BlockJob } from "./block-job.js";

/** Counts what the jobs of a tier came to; cumulative. */
export class TransferFigures {
  #bytesRead = 0;
  #bytesWritten = 0;
  #blocksRead = 0;
  #blocksWritten = 0;
  #blocksAlreadyStored = 0;
  #loadFailures = 0;
  #storeFailures = 0;
  #storesDropped = 0;
  #blocksDropped = 0;

  count(job: BlockJob, result: JobResult): void {
    if (result.dropped === true) {
      this.#storesDropped++;
      this.#blocksDropped += job.blocks.length;
      return;
    }
    const moved = job.blocks.length - job.failed - job.alreadyStored;
    if (job.isLoad) {
      this.#bytesRead += result.transferBytes ?? 0;
      this.#blocksRead += moved;
      if (!result.success) this.#loadFailures++;
    } else {
      this.#bytesWritten += result.transferBytes ?? 0;
      this.#blocksWritten += moved;
      this.#blocksAlreadyStored += job.alreadyStored;
      if (!result.success) this.#storeFailures++;
    }
  }

  /** Failures and drops count jobs, unless they name blocks. */
  get all(): Readonly<Record<string, number>> {
    return {
      bytesRead: this.#bytesRead,
      bytesWritten: this.#bytesWritten,
      blocksRead: this.#blocksRead,
      blocksWritten: this.#blocksWritten,
      blocksAlreadyStored: this.#blocksAlreadyStored,
      loadFailures: this.#loadFailures,
      storeFailures: this.#storeFailures,
      storesDropped: this.#storesDropped,
      blocksDropped: this.#blocksDropped,
    };
  }
}
