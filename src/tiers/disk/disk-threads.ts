import { reasonOf } from "../../errors/factory-errors.js";
import type { TierContext } from "../../contracts/tier-context.js";
import type { DiskWorkerData } from "./disk-io.js";
import { DiskWorkers, type DiskTask } from "./disk-workers.js";
import { untilDeadline } from "../../contracts/until-deadline.js";

/** Movers that are started at once; more, as far as the options allow, when there is work for them. */
const FIRST_MOVERS = 2;
/** One for what must not wait; the other starts when a load has to go past stores that hold every mover. */
const EXPRESS_THREADS = 2;

export interface DiskThreadsOptions {
  readonly entry: URL;
  /** The most threads that move blocks. */
  readonly movers: number;
  readonly workerData: DiskWorkerData;
  readonly context: TierContext;
}

/** All worker threads of a tier. */
export class DiskThreads<TTask extends DiskTask, TReplies extends Record<TTask["op"], unknown>> {
  /** Threads for stores and loads. */
  readonly movers: DiskWorkers<TTask, TReplies>;
  /** Threads for what must not wait for a store. */
  readonly express: DiskWorkers<TTask, TReplies>;
  readonly #context: TierContext;

  private constructor(
    movers: DiskWorkers<TTask, TReplies>,
    express: DiskWorkers<TTask, TReplies>,
    context: TierContext,
  ) {
    this.movers = movers;
    this.express = express;
    this.#context = context;
  }

  static async start<TTask extends DiskTask, TReplies extends Record<TTask["op"], unknown>>({
    entry,
    movers: maxMovers,
    workerData,
    context,
  }: DiskThreadsOptions): Promise<DiskThreads<TTask, TReplies>> {
    const onError = (error: unknown): void =>
      context.logger.error("A file worker failed", { tier: context.tierType, error: reasonOf(error) });
    const start = (minThreads: number, maxThreads: number): Promise<DiskWorkers<TTask, TReplies>> =>
      DiskWorkers.start({ entry, minThreads, maxThreads, workerData, onError });
    const movers = await start(Math.min(FIRST_MOVERS, maxMovers), maxMovers);
    return new DiskThreads(movers, await start(1, EXPRESS_THREADS), context);
  }

  /** A thread that hangs in a call ends only with the call: it is waited for `deadlineS` seconds, and no longer. */
  async close(deadlineS: number): Promise<void> {
    const closed = Promise.all([this.movers.close(), this.express.close()]);
    await untilDeadline(this.#context.clock, deadlineS, closed);
  }
}
