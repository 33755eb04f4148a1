import type { Worker } from "node:worker_threads";
import type { Piscina } from "piscina";
import type { DiskWorkerData } from "./disk-io.js";

export interface DiskWorkersOptions {
  /** A CommonJS module with the function that runs a task, or a promise of it: see `tiers/fs/worker/entry.cjs`. */
  readonly entry: URL;
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
 * Threads that run tasks, each one at a time, with plain synchronous calls of the file system.
 *
 * @typeParam TReplies what a task is answered with, by its `op`
 */
export class DiskWorkers<TTask extends DiskTask, TReplies extends Record<TTask["op"], unknown>> {
  readonly #pool: Piscina;
  /** Threads that were told to end and have not: a call that hangs cannot be interrupted. */
  readonly #leaving = new Set<Promise<void>>();
  /** Settles when no thread of the pool is left; `null` until the pool is closed. */
  #closing: Promise<void> | null = null;
  readonly #onThreadEnded: (threadId: number) => void;

  private constructor(pool: Piscina, onThreadEnded: (threadId: number) => void) {
    this.#pool = pool;
    this.#onThreadEnded = onThreadEnded;
  }

  static async start<TTask extends DiskTask, TReplies extends Record<TTask["op"], unknown>>({
    entry,
    minThreads,
    maxThreads,
    workerData,
    onError,
    onThreadEnded = () => {},
  }: DiskWorkersOptions): Promise<DiskWorkers<TTask, TReplies>> {
    const { Piscina } = await import("piscina");
    const pool = new Piscina({
      filename: entry.href,
      minThreads,
      maxThreads,
      idleTimeout: Infinity,
      recordTiming: false,
      workerData,
      // Loaders and tracers that the app preloads have no business in a thread that only calls the file system.
      execArgv: [],
    });
    pool.on("error", onError);
    return new DiskWorkers(pool, onThreadEnded);
  }

  /** The most threads that run at a time. */
  get maxThreads(): number {
    return this.#pool.maxThreads;
  }

  /** Threads that wait for a task. */
  get idleThreads(): number {
    return this.#pool.idleThreads;
  }

  /**
   * Runs `task`. An abort ends the thread that runs it, and a new one takes its place. The promise rejects only when that
   * thread is gone: until then it may touch the memory that the task names.
   */
  async run<T extends TTask>(task: T, signal?: AbortSignal): Promise<TReplies[T["op"]]> {
    signal?.throwIfAborted();
    const abort = new AbortController();
    let ended: Promise<unknown> = Promise.resolve();
    const onAbort = (): void => {
      // The pool takes the thread out at once, rejects, and tells nobody which thread it was or when it has ended.
      const before = this.#pool.threads;
      abort.abort(signal?.reason);
      const after = this.#pool.threads;
      ended = Promise.all(before.filter((thread) => !after.includes(thread)).map((thread) => this.#end(thread)));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return (await this.#pool.run(task, { signal: abort.signal })) as TReplies[T["op"]];
    } catch (error) {
      await ended;
      await this.#closing;
      throw abort.signal.aborted ? abort.signal.reason : error;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Ends all threads; tasks that run or wait are rejected then. Resolves when no thread is left, hanging ones included. */
  async close(): Promise<void> {
    this.#closing ??= this.#pool.destroy();
    await Promise.all([this.#closing, ...this.#leaving]);
  }

  async #end(thread: Worker): Promise<void> {
    const { threadId } = thread;
    const gone = new Promise<void>((resolve) => thread.once("exit", () => resolve()));
    this.#leaving.add(gone);
    await gone;
    this.#leaving.delete(gone);
    this.#onThreadEnded(threadId);
  }
}
