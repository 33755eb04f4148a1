import type { Logger } from "../contracts/logger.js";
import { reasonOf } from "../errors/factory-errors.js";
import { asError } from "../tiers/shared/checked-io.js";
import type { TieringOffloadingManager } from "../orchestrator/tiering-offloading-manager.js";
import { AbortListeners } from "./abort-listeners.js";

/** How long pending work of a tier that never notifies may go unnoticed, in milliseconds. */
const POLL_INTERVAL_MS = 5;

/**
 * Drives the steps of the manager on the event loop. A step runs when somebody asked for one or a tier notified, so
 * that everything asked for in one turn of the loop shares it; in between it only polls, and only while work is pending.
 */
export class StepDriver {
  readonly #manager: TieringOffloadingManager;
  readonly #logger: Logger;
  readonly #listeners = new Set<() => void>();
  readonly #aborts = new AbortListeners();
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

  /**
   * Resolves as soon as `condition`, asked now and after each step, holds, or when the driver is stopped; rejects with
   * the reason of `signal`, or with what `condition` throws.
   */
  async until(condition: () => boolean, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.wake();
    if (!this.#stopped && !condition()) await this.#listen(condition, signal);
  }

  /** Resolves after the next step, and asks for none: for those who can do nothing but wait for what is under way. */
  async nextStep(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#stopped) return;
    const listening = this.#listen(() => true, signal);
    this.#schedulePoll();
    await listening;
  }

  /** Takes in what the tiers have finished. Called before look-ups and stores, so that no caller meets a tier's fault. */
  collect(): void {
    this.#guarded(() => this.#manager.collectFinished());
  }

  /**
   * Runs one step now: takes in what finished, lets everybody look at it, and sends out what they ask for. In this order
   * nothing that is asked for has to wait for another step to be sent.
   */
  step(): void {
    this.collect();
    for (const listener of this.#listeners) listener();
    const newReqIds = this.#newReqIds;
    this.#newReqIds = [];
    const ended = this.#manager.jobs.ended;
    this.#guarded(() => this.#manager.onScheduleEnd({ newReqIds, preemptedReqIds: [] }));
    // A job that a tier refused has ended already, and nobody will notify.
    if (this.#manager.jobs.ended !== ended) this.wake();
    this.#schedulePoll();
  }

  /** Ends the driving; whoever still waits is let go. */
  stop(): void {
    this.#stopped = true;
    clearImmediate(this.#immediate);
    clearTimeout(this.#poll);
    for (const listener of this.#listeners) listener();
  }

  #listen(condition: () => boolean, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const stopListening = (): void => {
        this.#listeners.delete(listener);
        stopWatching?.();
      };
      const abort = (): void => {
        stopListening();
        reject(signal?.reason as Error);
      };
      const listener = (): void => {
        try {
          if (!this.#stopped && !condition()) return;
          stopListening();
          resolve();
        } catch (error) {
          stopListening();
          reject(asError(error));
        }
      };
      this.#listeners.add(listener);
      const stopWatching = signal && this.#aborts.add(signal, abort);
    });
  }

  /** A tier that breaks its contract costs only the job in question, which is given up, lest somebody wait for it. */
  #guarded(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#logger.error("A step of the tiering manager failed.", { error: reasonOf(error) });
      this.#manager.failMisreportedJobs();
    }
  }

  #schedulePoll(): void {
    if (this.#stopped || !this.#manager.hasPendingWork()) return;
    // A real timer even where the clock is moved by hand: only deadlines are a matter of the clock.
    this.#poll ??= setTimeout(() => {
      this.#poll = undefined;
      this.step();
    }, POLL_INTERVAL_MS);
    // Work in the background does not keep the process alive; somebody who awaits it does.
    if (this.#listeners.size === 0) this.#poll.unref();
    else this.#poll.ref();
  }
}
