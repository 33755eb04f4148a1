import { Worker } from "node:worker_threads";
import type { DiskWorkerData } from "./disk-io.js";
import { PLACES, TaskPermits } from "./worker/task-permits.js";

const ENTRY = new URL("./worker/thread-entry.cjs", import.meta.url);
/** MiB for objects that live briefly: a task leaves little behind, and the default of a server's heap would be filled. */
const YOUNG_GENERATION_MIB = 2;
/** Permits are numbers below this, then begin anew: by then nothing of the first ones is left. */
const PERMITS_END = 2 ** 30;

/** A task on its way, and who waits for its end. */
export interface ThreadJob {
  readonly task: unknown;
  resolve(reply: unknown): void;
  reject(reason: unknown): void;
}

/** What a thread finds in `workerData`, besides what its tasks need. */
export interface ThreadData extends DiskWorkerData {
  readonly entry: string;
  readonly permits: SharedArrayBuffer;
}

export interface SentTask {
  readonly place: number;
  readonly permit: number;
  readonly task: unknown;
}

/** With `fault` when the task threw. */
export interface TaskReply {
  readonly permit: number;
  readonly reply?: unknown;
  readonly fault?: unknown;
}

export interface DiskThreadParts {
  /** See `DiskWorkersOptions.entry`. */
  readonly entry: URL;
  readonly workerData: DiskWorkerData;
  /** A task has ended. */
  readonly onFree: () => void;
  /** The thread is gone; jobs that it had are rejected next. */
  readonly onGone: () => void;
  /** It failed outside any task. */
  readonly onError: (error: unknown) => void;
}

/** A worker thread. Of its tasks one runs, and another may wait right there, which can be called back. */
export class DiskThread {
  readonly #parts: DiskThreadParts;
  readonly #worker: Worker;
  readonly #threadId: number;
  readonly #permits: TaskPermits;
  /** Jobs whose tasks were sent, oldest first: in this order they begin. */
  readonly #sent: Sent[] = [];
  readonly #gone: Promise<void>;
  #lastPermit = 0;
  #fault: unknown = null;
  #isEnding = false;

  constructor(parts: DiskThreadParts) {
    const permits = new SharedArrayBuffer(TaskPermits.BYTES);
    const workerData: ThreadData = { ...parts.workerData, entry: parts.entry.href, permits };
    this.#parts = parts;
    this.#permits = new TaskPermits(permits);
    this.#worker = new Worker(ENTRY, {
      workerData,
      // Loaders and tracers that the app preloads have no business in a thread that only calls the file system.
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
    });
    this.#threadId = this.#worker.threadId;
    this.#worker.unref();
    this.#worker.on("message", (reply: TaskReply) => this.#onReply(reply));
    this.#worker.on("error", (error) => this.#onError(error));
    this.#gone = new Promise((resolve) => this.#worker.once("exit", (code) => resolve(this.#onExit(code))));
  }

  get threadId(): number {
    return this.#threadId;
  }

  /** Jobs that run or wait here, in the order in which they begin. */
  get jobs(): readonly ThreadJob[] {
    return this.#sent.map(({ job }) => job);
  }

  get isIdle(): boolean {
    return this.#sent.length === 0;
  }

  get hasRoom(): boolean {
    return this.#sent.length < PLACES;
  }

  /** Only where there is room. A thread with work keeps the process alive; one without does not. */
  send(job: ThreadJob): void {
    if (this.isIdle) this.#worker.ref();
    let place = 0;
    while (this.#sent.some((sent) => sent.place === place)) place++;
    const permit = (this.#lastPermit % PERMITS_END) + 1;
    this.#lastPermit = permit;
    this.#sent.push({ job, place, permit });
    this.#permits.give(place, permit);
    this.#worker.postMessage({ place, permit, task: job.task } satisfies SentTask);
  }

  /** Takes `job` back, if it has not begun. */
  callBack(job: ThreadJob): boolean {
    const sent = this.#sent.find((other) => other.job === job);
    if (sent === undefined || !this.#permits.take(sent.place, sent.permit)) return false;
    this.#forget(sent);
    return true;
  }

  /** Takes back a job that waits behind another; `undefined`: none does. */
  callBackWaiting(): ThreadJob | undefined {
    return this.hasRoom ? undefined : this.jobs.find((job) => this.callBack(job));
  }

  /** Ends the thread, as soon as the call returns that it is in. Jobs that are still here are rejected then, with `reason`. */
  end(reason: unknown): Promise<void> {
    this.#fault ??= reason;
    this.#isEnding = true;
    void this.#worker.terminate();
    return this.#gone;
  }

  #onReply(answer: TaskReply): void {
    const sent = this.#sent.find(({ permit }) => permit === answer.permit);
    if (sent === undefined) return;
    this.#forget(sent);
    if ("fault" in answer) sent.job.reject(answer.fault);
    else sent.job.resolve(answer.reply);
    this.#parts.onFree();
  }

  #onError(error: unknown): void {
    if (this.isIdle) this.#parts.onError(error);
    else this.#fault = error;
  }

  #onExit(code: number): void {
    this.#parts.onGone();
    const reason = this.#fault ?? new Error(`A worker thread ended in the middle of its task, with exit code ${code}.`);
    for (const { job } of this.#sent.splice(0)) job.reject(reason);
  }

  #forget(sent: Sent): void {
    this.#sent.splice(this.#sent.indexOf(sent), 1);
    // One that ends is waited for: the process must not be over before it is gone.
    if (this.isIdle && !this.#isEnding) this.#worker.unref();
  }
}

interface Sent {
  readonly job: ThreadJob;
  readonly place: number;
  readonly permit: number;
}
