import type { Logger } from "../contracts/logger.js";
import type { TieringOffloadingManager } from "../orchestrator/tiering-offloading-manager.js";

/** How long pending work of a tier that never notifies may go unnoticed, in milliseconds. */
const POLL_INTERVAL_MS = 5;

/** Called after each step; returns `true` when it need not be called again. */
export type StepListener = () => boolean;

/**
 * Drives the steps of the manager on the event loop. A step runs when somebody asked for one or a tier notified, so
 * that everything asked for in one turn of the loop shares it; in between it only polls, and only while work is pending.
 */
export class StepDriver {
  readonly #manager: TieringOffloadingManager;
  readonly #logger: Logger;
  readonly #listeners = new Set<StepListener>();
  #newReqIds: string[] = [];
  #immediate: NodeJS.Immediate | undefined;
  #poll: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(manager: TieringOffloadingManager, logger: Logger) {
    this.#manager = manager;
    this.#logger = logger;
  }

  onNewRequest(reqId: string): void {
    this.#newReqIds.push(reqId);
  }

  /** Asks for a step soon. Cheap, and may be called at any time. */
  wake(): void {
    if (this.#stopped) return;
    this.#immediate ??= setImmediate(() => {
      this.#immediate = undefined;
      this.step();
    });
  }

  /** Calls `listener` after every step until it returns `true`; the returned function takes it off the list. */
  listen(listener: StepListener): () => void {
    this.#listeners.add(listener);
    this.wake();
    return () => this.#listeners.delete(listener);
  }

  /** Resolves as soon as `condition`, asked now and after each step, holds; rejects with the reason of `signal`. */
  until(condition: () => boolean, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (condition()) return resolve();
      const abort = (): void => {
        stopListening();
        reject(signal?.reason as Error);
      };
      const stopListening = this.listen(() => {
        if (!this.#stopped && !condition()) return false;
        signal?.removeEventListener("abort", abort);
        resolve();
        return true;
      });
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  /**
   * Runs one step now: takes in what finished, lets everybody look at it, and sends out what they asked for. What a
   * look asks for thus never waits for another step to be sent.
   */
  step(): void {
    this.#guard(() => this.#manager.collectFinishedJobs());
    for (const listener of [...this.#listeners]) if (listener()) this.#listeners.delete(listener);
    const newReqIds = this.#newReqIds;
    this.#newReqIds = [];
    this.#guard(() => this.#manager.onScheduleEnd({ newReqIds, preemptedReqIds: [] }));
    this.#schedulePoll();
  }

  /** Ends the driving; whoever still listens is called once more. */
  stop(): void {
    this.#stopped = true;
    clearImmediate(this.#immediate);
    clearTimeout(this.#poll);
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
  }

  /** A tier that broke its contract: its job is given up, so that nobody waits for it for ever. */
  #guard(part: () => void): void {
    try {
      part();
    } catch (error) {
      this.#logger.error("A step of the tiering manager failed.", { error });
      this.#manager.failMisreportedJobs();
    }
  }

  #schedulePoll(): void {
    if (this.#stopped || this.#poll !== undefined || !this.#manager.hasPendingWork()) return;
    // A real timer even where the clock is moved by hand: only deadlines are a matter of the clock.
    this.#poll = setTimeout(() => {
      this.#poll = undefined;
      this.step();
    }, POLL_INTERVAL_MS);
    this.#poll.unref();
  }
}
