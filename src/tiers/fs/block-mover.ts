import type { BlockTransfer, TransferOutcome } from "../shared/block-transfer.js";
import { asError } from "../shared/checked-io.js";
import { blockFileOf } from "./block-file.js";
import type { FileOutcome, TransferTask } from "./file-tasks.js";
import type { FileWorkers } from "./file-workers.js";
import type { MemoryPlace, WorkerMemory } from "./worker-memory.js";

/** Bytes that are worth a thread's while: below this the way to it and back costs more than sharing the work gains. */
const MIN_TASK_BYTES = 256 * 2 ** 10;

type Transfer = Pick<BlockTransfer, "key" | "block">;

export interface BlockMoverParts {
  /** Threads that store and load. */
  readonly movers: FileWorkers;
  /** Threads that never store. */
  readonly express: FileWorkers;
  readonly memory: WorkerMemory;
  readonly blockBytes: number;
}

/** Moves batches of blocks between files and the pool, on worker threads. */
export class BlockMover {
  readonly #movers: FileWorkers;
  readonly #express: FileWorkers;
  readonly #memory: WorkerMemory;
  readonly #minTaskBlocks: number;
  /** Store tasks that run or wait. */
  #storesOut = 0;

  constructor({ movers, express, memory, blockBytes }: BlockMoverParts) {
    this.#movers = movers;
    this.#express = express;
    this.#memory = memory;
    this.#minTaskBlocks = Math.ceil(MIN_TASK_BYTES / blockBytes);
  }

  /** Outcome `i` belongs to transfer `i`. Settles only when no thread touches the blocks any more. */
  async move(
    op: TransferTask["op"],
    batch: readonly Transfer[],
    signal: AbortSignal,
  ): Promise<readonly TransferOutcome[]> {
    const placed = this.#memory.place(batch.map(({ block }) => block));
    try {
      if (op === "store") placed.copyIn();
      const outcomes = await this.#run(taskFor(op, batch, placed.places), signal);
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
  async #run(task: TransferTask, signal: AbortSignal): Promise<readonly TransferOutcome[]> {
    const workers = this.#workersFor(task.op);
    const count = task.files.length;
    const tasks = Math.max(1, Math.min(workers.idleThreads, Math.floor(count / this.#minTaskBlocks)));
    const parts = Array.from({ length: tasks }, (_, i) =>
      part(task, Math.floor((i * count) / tasks), Math.floor(((i + 1) * count) / tasks)),
    );
    return (await Promise.all(parts.map((one) => this.#runPart(workers, one, signal)))).flat();
  }

  /** When stores hold every thread, which for a hung one may be long, a load goes past them. */
  #workersFor(op: TransferTask["op"]): FileWorkers {
    return op === "load" && this.#storesOut >= this.#movers.maxThreads ? this.#express : this.#movers;
  }

  /** Never rejects: the batch must not settle by one part while another part's thread is still at work. */
  async #runPart(workers: FileWorkers, task: TransferTask, signal: AbortSignal): Promise<readonly TransferOutcome[]> {
    const stores = task.op === "store" ? 1 : 0;
    this.#storesOut += stores;
    try {
      return (await workers.run(task, signal)).map(asOutcome);
    } catch (reason) {
      const error = asError(reason);
      return task.files.map(() => error);
    } finally {
      this.#storesOut -= stores;
    }
  }
}

function taskFor(op: TransferTask["op"], batch: readonly Transfer[], places: readonly MemoryPlace[]): TransferTask {
  return {
    op,
    files: batch.map(({ key }) => blockFileOf(key)),
    buffers: places.map(({ buffer }) => buffer),
    offsets: places.map(({ byteOffset }) => byteOffset),
  };
}

function part(task: TransferTask, from: number, to: number): TransferTask {
  const { op, files, buffers, offsets } = task;
  return { op, files: files.slice(from, to), buffers: buffers.slice(from, to), offsets: offsets.slice(from, to) };
}

function asOutcome(outcome: FileOutcome): TransferOutcome {
  if (typeof outcome === "number") return outcome;
  const error = new Error(outcome.message);
  return outcome.code === undefined ? error : Object.assign(error, { code: outcome.code });
}
