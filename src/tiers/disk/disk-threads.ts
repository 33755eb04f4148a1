import type { Clock } from "../../contracts/clock.js";
import { untilDeadline } from "../../contracts/until-deadline.js";
import type { DiskWorkerData } from "./disk-io.js";
import type { DiskTask, DiskWorkers } from "./disk-workers.js";
import { startWorkers, type ThreadContext } from "./start-workers.js";

/** Movers that are started before there is work for them; more, as far as the options allow, when there is. */
const FIRST_MOVERS = 2;
/** One for what must not wait; the other starts when a load has to go past stores that hold every mover. */
const EXPRESS_THREADS = 2;

export interface DiskThreadsOptions {
  readonly entry: URL;
  /** The most threads that move blocks. */
  readonly movers: number;
  readonly workerData: DiskWorkerData;
  readonly context: ThreadContext;
  /** As `DiskWorkersOptions.onThreadEnded`, of the movers. */
  readonly onMoverEnded?: (threadId: number) => void;
}

/** The worker threads of a tier, or of one of its folders. */
export class DiskThreads<TTask extends DiskTask, TReplies extends Record<TTask["op"], unknown>> {
  /** Threads for stores and loads. */
  readonly movers: DiskWorkers<TTask, TReplies>;
  /** Threads for what must not wait for a store. */
  readonly express: DiskWorkers<TTask, TReplies>;
  readonly #clock: Clock;

  private constructor(movers: DiskWorkers<TTask, TReplies>, express: DiskWorkers<TTask, TReplies>, clock: Clock) {
    this.movers = movers;
    this.express = express;
    this.#clock = clock;
  }

  /** Starts what a folder is opened with; movers would compete with it for the cores. See {@link startMovers}. */
  static start<TTask extends DiskTask, TReplies extends Record<TTask["op"], unknown>>({
    entry,
    movers: maxMovers,
    workerData,
    context,
    onMoverEnded = () => {},
  }: DiskThreadsOptions): DiskThreads<TTask, TReplies> {
    const common = { entry, workerData, context };
    const express = startWorkers<TTask, TReplies>({ ...common, minThreads: 1, maxThreads: EXPRESS_THREADS });
    const movers = startWorkers<TTask, TReplies>({
      ...common,
      minThreads: 0,
      maxThreads: maxMovers,
      onThreadEnded: onMoverEnded,
    });
    return new DiskThreads(movers, express, context.clock);
  }

  /** Starts the first movers, so that the first block does not wait for one. Nobody waits for them to be up. */
  startMovers(): void {
    this.movers.start(FIRST_MOVERS);
  }

  /** A thread that hangs in a call ends only with the call: it is waited for `deadlineS` seconds, and no longer. */
  async close(deadlineS: number): Promise<void> {
    const closed = Promise.all([this.movers.close(), this.express.close()]);
    await untilDeadline(this.#clock, deadlineS, closed);
  }
}
