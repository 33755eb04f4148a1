import type { OffloadKey } from "../../contracts/offload-key.js";
import type { JobResult, TransferJob } from "../../contracts/transfer-job.js";
import type { AbortControllers } from "./abort-controllers.js";
import type { TransferOutcome } from "./block-transfer.js";

/** One block of a job, from its submission until its outcome. */
export interface JobBlock {
  readonly owner: BlockJob;
  readonly key: OffloadKey;
  readonly blockId: number;
  /** `following`: an earlier store of the same key is to write it. */
  state: "waiting" | "following" | "running" | "done" | "failed";
}

/** A job that is under way: the outcomes of its blocks, and from them its one result. */
export class BlockJob {
  readonly jobId: number;
  readonly isLoad: boolean;
  readonly blocks: readonly JobBlock[];
  /** Takes the job's deadline off. */
  cancelDeadline: () => void = () => {};
  readonly #aborts: AbortControllers;
  #abort: AbortController | null = null;
  #unsettled: number;
  #failed = 0;
  #batchesOut = 0;
  #isReported = false;
  #bytes = 0;
  #alreadyStored = 0;
  #firstError: Error | null = null;
  #startedAt: number | null = null;
  #endedAt = 0;
  #onLastIo: () => void = () => {};

  constructor(job: TransferJob, isLoad: boolean, aborts: AbortControllers) {
    this.jobId = job.jobId;
    this.isLoad = isLoad;
    this.#aborts = aborts;
    // A slot id that is missing becomes -1, which no pool has: that block fails, and no other.
    this.blocks = job.keys.map((key, i) => ({ owner: this, key, blockId: job.blockIds[i] ?? -1, state: "waiting" }));
    this.#unsettled = this.blocks.length;
  }

  /** Aborted when the job is given up. */
  get signal(): AbortSignal {
    this.#abort ??= this.#aborts.take();
    return this.#abort.signal;
  }

  /** Whether every block has its outcome. */
  get isSettled(): boolean {
    return this.#unsettled === 0;
  }

  /** Whether the result is out; what comes later is ignored. */
  get isReported(): boolean {
    return this.#isReported;
  }

  get batchesOut(): number {
    return this.#batchesOut;
  }

  /** Blocks that needed no write. */
  get alreadyStored(): number {
    return this.#alreadyStored;
  }

  get firstError(): Error | null {
    return this.#firstError;
  }

  /** How many blocks have failed. */
  get failed(): number {
    return this.#failed;
  }

  /** Keys that failed, once the job is settled or given up. */
  get failedKeys(): OffloadKey[] {
    return this.blocks.filter((block) => block.state === "failed").map((block) => block.key);
  }

  batchStarted(batch: readonly JobBlock[], now: number): void {
    for (const block of batch) block.state = "running";
    this.#batchesOut++;
    this.#startedAt ??= now;
  }

  batchEnded(now: number): void {
    this.#endedAt = now;
    if (--this.#batchesOut === 0) this.#onLastIo();
  }

  settle(block: JobBlock, outcome: TransferOutcome): void {
    this.#unsettled--;
    if (typeof outcome === "number") {
      block.state = "done";
      this.#bytes += outcome;
      if (outcome === 0) this.#alreadyStored++;
    } else {
      block.state = "failed";
      this.#failed++;
      this.#firstError ??= outcome;
    }
  }

  /** The result, now that every block is settled. */
  finish(): JobResult {
    this.#isReported = true;
    return this.#result(this.#endedAt);
  }

  /**
   * Ends the job as it stands: what has no outcome has failed. The result's `blocksReleased` settles when the last of
   * the job's I/O that is still out has ended.
   */
  giveUp(reason: Error, now: number): JobResult {
    this.#isReported = true;
    for (const block of this.blocks) if (block.state !== "done" && block.state !== "failed") this.settle(block, reason);
    const result = this.#result(now);
    if (this.#batchesOut === 0) return result;
    const blocksReleased = new Promise<void>((resolve) => (this.#onLastIo = resolve));
    this.#abort?.abort(reason);
    return { ...result, blocksReleased };
  }

  /** None of the job's I/O is out any more. */
  close(): void {
    if (this.#abort !== null) this.#aborts.giveBack(this.#abort);
    this.#abort = null;
  }

  #result(endedAt: number): JobResult {
    const success = this.#firstError === null;
    const successfulKeys = success ? [] : this.blocks.filter((b) => b.state === "done").map((b) => b.key);
    return {
      jobId: this.jobId,
      success,
      ...(this.isLoad && successfulKeys.length > 0 ? { successfulKeys } : {}),
      ...(this.#startedAt === null ? {} : { transferTime: endedAt - this.#startedAt }),
      transferBytes: this.#bytes,
    };
  }
}
