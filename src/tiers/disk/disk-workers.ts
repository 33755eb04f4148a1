import type { DiskWorkerData } from "./disk-io.js";
import { DiskThread, type ThreadJob } from "./disk-thread.js";

export interface DiskWorkersOptions {
  /** A module whose default export is the function that runs a task, or a promise of it. It answers at once: no promise. */
  readonly entry: URL;
  /** Threads that are started at once. */
  readonly minThreads: number;
  readonly maxThreads: number;
  readonly workerData: DiskWorkerData;
  /** A thread failed outside any task. */
  readonly onError: (error: unknown) => void;
  /** A thread was ended in the middle of a task, and is gone; before the task's promise rejects. */
  readonly onThreadEnded?: (threadId: number) => void;
}

/** What a task says about itself: the name of its kind. */
export interface DiskTask {
  readonly op: string;
}

/**
 * Threads that run tasks, each one at a time, with plain synchronous calls of the file system. A thread that runs one has
 * the next at hand, so that it never waits for the event loop; a thread that has none takes what waits elsewhere.
 *
 * A pool of the usual kind gives a thread one task at a time as soon as tasks can be aborted, and costs the event loop
 * twice as much for each: with it loads of 64 KiB blocks took the main thread 4 µs more a block, of 13.
 *
 * @typeParam TReplies what a task is answered with, by its `op`
 */
export class DiskWorkers<TTask extends DiskTask, TReplies extends Record<TTask["op"], unknown>> {
  readonly #options: DiskWorkersOptions;
  readonly #threads = new Set<DiskThread>();
  /** Threads that were told to end and have not: a call that hangs cannot be interrupted. */
  readonly #leaving = new Set<DiskThread>();
  /** Jobs that no thread has yet, oldest first. */
  readonly #waiting: ThreadJob[] = [];
  #closing: Promise<void> | null = null;

  constructor(options: DiskWorkersOptions) {
    this.#options = options;
    this.start(options.minThreads);
  }

  /** Sees to it that there are `count` threads, or as many as there may be, for tasks that are still to come. */
  start(count: number): void {
    if (this.#closing !== null) return;
    for (let i = this.#threads.size; i < Math.min(count, this.maxThreads); i++) this.#addThread();
  }

  /** The most threads that run at a time. */
  get maxThreads(): number {
    return this.#options.maxThreads;
  }

  /** Threads that wait for a task. */
  get idleThreads(): number {
    let idle = 0;
    for (const thread of this.#threads) if (thread.isIdle) idle++;
    return idle;
  }

  /**
   * Runs `task`. An abort ends the thread that runs it, and a new one takes its place. The promise rejects only when that
   * thread is gone: until then it may touch the memory that the task names.
   */
  async run<T extends TTask>(task: T, signal?: AbortSignal): Promise<TReplies[T["op"]]> {
    signal?.throwIfAborted();
    if (this.#closing !== null) throw shutDown();
    let onAbort = (): void => {};
    try {
      return await new Promise<TReplies[T["op"]]>((resolve, reject) => {
        const job: ThreadJob = { task, resolve: resolve, reject };
        onAbort = () => this.#abort(job, signal?.reason);
        signal?.addEventListener("abort", onAbort, { once: true });
        this.#waiting.push(job);
        this.#distribute();
      });
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Ends all threads; tasks that run or wait are rejected then. Resolves when no thread is left, hanging ones included. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const threads = [...this.#threads, ...this.#leaving];
    for (const thread of threads) for (const job of thread.jobs) if (thread.callBack(job)) this.#waiting.push(job);
    await Promise.all(threads.map((thread) => thread.end(shutDown())));
    for (const job of this.#waiting.splice(0)) job.reject(shutDown());
  }

  /** First to threads that have nothing to do, then to one more thread, then to those that have room. */
  #distribute(): void {
    if (this.#closing !== null) return;
    while (this.#waiting.length > 0) {
      const thread = this.#threadFor();
      const job = thread && this.#waiting.shift();
      if (job === undefined) return;
      thread?.send(job);
    }
  }

  #threadFor(): DiskThread | undefined {
    let withRoom: DiskThread | undefined;
    for (const thread of this.#threads) {
      if (thread.isIdle) return thread;
      if (thread.hasRoom) withRoom ??= thread;
    }
    return this.#threads.size < this.#options.maxThreads ? this.#addThread() : withRoom;
  }

  #addThread(): DiskThread {
    const { entry, workerData, onError } = this.#options;
    const thread = new DiskThread({
      entry,
      workerData,
      onError,
      onFree: () => this.#onFree(thread),
      onGone: () => this.#onGone(thread),
    });
    this.#threads.add(thread);
    return thread;
  }

  #onFree(thread: DiskThread): void {
    this.#distribute();
    if (thread.isIdle && this.#threads.has(thread)) this.#takeOver(thread);
  }

  /** What waits behind another task, which may take long or hang, is as well done here. */
  #takeOver(thread: DiskThread): void {
    for (const other of this.#threads) {
      const job = other.callBackWaiting();
      if (job !== undefined) return thread.send(job);
    }
  }

  #abort(job: ThreadJob, reason: unknown): void {
    const at = this.#waiting.indexOf(job);
    if (at >= 0) this.#waiting.splice(at, 1);
    const thread = [...this.#threads].find(({ jobs }) => jobs.includes(job));
    if (at >= 0 || thread?.callBack(job) === true) return job.reject(reason);
    if (thread !== undefined) this.#interrupt(thread, job, reason);
  }

  /** A call cannot be interrupted: the thread goes, once the call has returned, and the job with it. */
  #interrupt(thread: DiskThread, job: ThreadJob, reason: unknown): void {
    // What was sent before it is done, as it has begun; what was sent after it and has begun tells that it is done itself.
    for (const other of thread.jobs.slice(thread.jobs.indexOf(job) + 1)) {
      if (!thread.callBack(other)) return;
      this.#waiting.unshift(other);
    }
    this.#threads.delete(thread);
    this.#leaving.add(thread);
    void thread.end(reason);
    this.#spreadAnew();
  }

  #onGone(thread: DiskThread): void {
    const wasInTask = !thread.isIdle;
    this.#threads.delete(thread);
    if (this.#leaving.delete(thread) && wasInTask) this.#options.onThreadEnded?.(thread.threadId);
    this.#spreadAnew();
  }

  /** A thread went, and there may be another in its place: what waits behind tasks that may take long is as well done there. */
  #spreadAnew(): void {
    this.#distribute();
    if (this.#closing !== null || this.#threads.size >= this.#options.maxThreads) return;
    for (const thread of this.#threads) {
      const job = thread.callBackWaiting();
      if (job !== undefined) this.#waiting.push(job);
    }
    this.#distribute();
  }
}

function shutDown(): Error {
  return new Error("The tier is shut down.");
}
