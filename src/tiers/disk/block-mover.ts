import type { TransferOutcome } from "../shared/block-transfer.js";
import { asError } from "../shared/checked-io.js";
import type { IoOutcome } from "./disk-io.js";
import type { PlacedBatch, WorkerMemory } from "./worker-memory.js";

/** Bytes that are worth a thread's while: below this the way to it and back costs more than sharing the work gains. */
const MIN_TASK_BYTES = 256 * 2 ** 10;

export type MoveOp = "store" | "load";

/** The part of `DiskWorkers` that moving needs. */
export interface TransferWorkers<TTask> {
  readonly maxThreads: number;
  readonly idleThreads: number;
  /** Answers with one outcome per block of the task. */
  run(task: TTask, signal: AbortSignal): Promise<readonly IoOutcome[]>;
}

export interface BlockMoverParts<TTask> {
  /** Threads that store and load. */
  readonly movers: TransferWorkers<TTask>;
  /** Threads that never store. */
  readonly express: TransferWorkers<TTask>;
  readonly memory: WorkerMemory;
  readonly blockBytes: number;
}

/** A batch of blocks to move; the order of `blocks` is that of the outcomes. */
export interface Move<TTask> {
  readonly op: MoveOp;
  readonly blocks: readonly Uint8Array[];
  /** The task for blocks `from` to `to - 1`, which lie at `placed`. */
  readonly taskOf: (placed: PlacedBatch, from: number, to: number) => TTask;
}

/** Moves batches of blocks between a disk and the pool, on worker threads. */
export class BlockMover<TTask> {
  readonly #movers: TransferWorkers<TTask>;
  readonly #express: TransferWorkers<TTask>;
  readonly #memory: WorkerMemory;
  readonly #minTaskBlocks: number;
  /** Store tasks that run or wait. */
  #storesOut = 0;

  constructor({ movers, express, memory, blockBytes }: BlockMoverParts<TTask>) {
    this.#movers = movers;
    this.#express = express;
    this.#memory = memory;
    this.#minTaskBlocks = Math.ceil(MIN_TASK_BYTES / blockBytes);
  }

  /** Outcome `i` belongs to block `i`. Settles only when no thread touches the blocks any more. */
  async move({ op, blocks, taskOf }: Move<TTask>, signal: AbortSignal): Promise<readonly TransferOutcome[]> {
    const placed = this.#memory.place(blocks);
    try {
      if (op === "store") placed.copyIn();
      const workers = this.#workersFor(op);
      const parts = this.#bounds(blocks.length, workers.idleThreads).map(([from, to]) =>
        this.#runPart(workers, op, taskOf(placed, from, to), to - from, signal),
      );
      const outcomes = (await Promise.all(parts)).flat();
      // After an abort nobody wants the bytes, and the slots are best left alone.
      if (op === "load" && !signal.aborted) {
        outcomes.forEach((outcome, i) => typeof outcome === "number" && placed.copyOut(i));
      }
      return outcomes;
    } finally {
      placed.release();
    }
  }

  /** Shares the blocks out to the threads that have nothing to do, so that one job alone has the use of all. */
  #bounds(count: number, idleThreads: number): [from: number, to: number][] {
    const parts = Math.max(1, Math.min(idleThreads, Math.floor(count / this.#minTaskBlocks)));
    const bound = (i: number): number => Math.floor((i * count) / parts);
    return Array.from({ length: parts }, (_, i) => [bound(i), bound(i + 1)]);
  }

  /** When stores hold every thread, which for a hung one may be long, a load goes past them. */
  #workersFor(op: MoveOp): TransferWorkers<TTask> {
    return op === "load" && this.#storesOut >= this.#movers.maxThreads ? this.#express : this.#movers;
  }

  /** Never rejects: the batch must not settle by one part while another part's thread is still at work. */
  async #runPart(
    workers: TransferWorkers<TTask>,
    op: MoveOp,
    task: TTask,
    count: number,
    signal: AbortSignal,
  ): Promise<readonly TransferOutcome[]> {
    const stores = op === "store" ? 1 : 0;
    this.#storesOut += stores;
    try {
      return (await workers.run(task, signal)).map(asTransferOutcome);
    } catch (reason) {
      return new Array<Error>(count).fill(asError(reason));
    } finally {
      this.#storesOut -= stores;
    }
  }
}

function asTransferOutcome(outcome: IoOutcome): TransferOutcome {
  if (typeof outcome === "number") return outcome;
  const error = new Error(outcome.message);
  return outcome.code === undefined ? error : Object.assign(error, { code: outcome.code });
}
