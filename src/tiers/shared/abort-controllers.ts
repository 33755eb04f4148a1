import { getEventListeners, setMaxListeners } from "node:events";

/** Controllers that are kept for later jobs, at most: more than a tier has jobs at once are never needed. */
const MAX_KEPT = 64;

/**
 * Abort controllers for jobs. To make one takes Node as long as moving several blocks, and hardly any is ever aborted, so
 * those that are as good as new serve the next job.
 */
export class AbortControllers {
  readonly #kept: AbortController[] = [];

  take(): AbortController {
    const kept = this.#kept.pop();
    if (kept !== undefined) return kept;
    const controller = new AbortController();
    // Every batch of a job listens, in more places than one: many listeners are no leak, and no reason for a warning.
    setMaxListeners(0, controller.signal);
    return controller;
  }

  /** The I/O it was for has ended. One that somebody still listens to is not used again: he means the old job. */
  giveBack(controller: AbortController): void {
    const { signal } = controller;
    if (signal.aborted || signal.onabort !== null || this.#kept.length === MAX_KEPT) return;
    if (getEventListeners(signal, "abort").length === 0) this.#kept.push(controller);
  }
}
