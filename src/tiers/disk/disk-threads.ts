import type { Clock } from "../../contracts/clock.js";
import { untilDeadline } from "../../contracts/until-deadline.js";
import type { DiskWorkerData } from "./disk-io.js";
import type { DiskTask, DiskWorkers } from "./disk-workers.js";
import { startWorkers, type ThreadContext } from "./start-workers.js";

/** Movers that are started at once; more, as far as the options allow, when there is work for them. */
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

  static async start<TTask extends DiskTask, TReplies extends Record<TTask["op"], unknown>>({
    entry,
    movers: maxMovers,
    workerData,
    context,
    onMoverEnded = () => {},
  }: DiskThreadsOptions): Promise<DiskThreads<TTask, TReplies>> {
    const common = { entry, workerData, context };
    const movers = startWorkers<TTask, TReplies>({
      ...common,
      minThreads: Math.min(FIRST_MOVERS, maxMovers),
      maxThreads: maxMovers,
      onThreadEnded: onMoverEnded,
    });
    const express = startWorkers<TTask, TReplies>({ ...common, minThreads: 1, maxThreads: EXPRESS_THREADS });
    return new DiskThreads(movers, express, context.clock);
  }

  /** A thread that hangs in a call ends only with the call: it is waited for `deadlineS` seconds, and no longer. */
  async close(deadlineS: number): Promise<void> {
    const closed = Promise.all([this.movers.close(), this.express.close()]);
    await untilDeadline(this.#clock, deadlineS, closed);
  }
}
