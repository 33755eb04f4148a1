import type { TransferWorkers } from "../disk/block-mover.js";
import type { IoOutcome } from "../disk/disk-io.js";
import type { MoveTask, SegmentWorkers } from "./segment-tasks.js";

/** Threads as a `BlockMover` wants them, which answer with little when all goes well. */
export class MoverWorkers implements TransferWorkers<MoveTask> {
  readonly #workers: SegmentWorkers;
  readonly #blockBytes: number;

  constructor(workers: SegmentWorkers, blockBytes: number) {
    this.#workers = workers;
    this.#blockBytes = blockBytes;
  }

  get maxThreads(): number {
    return this.#workers.maxThreads;
  }

  get idleThreads(): number {
    return this.#workers.idleThreads;
  }

  async run(task: MoveTask, signal: AbortSignal): Promise<readonly IoOutcome[]> {
    return (await this.#workers.run(task, signal)) ?? new Array<number>(task.offsets.length).fill(this.#blockBytes);
  }
}
