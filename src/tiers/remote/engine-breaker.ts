import type * as Cockatiel from "cockatiel";
import type { Clock } from "../../contracts/clock.js";
import type { Logger } from "../../contracts/logger.js";
import type { TierFigures } from "../../contracts/secondary-tier-manager.js";
import { reasonOf } from "../../errors/factory-errors.js";

/**
 * Failures in a row that open the breaker. Enough for a server that restarts behind a balancer, or one request in a
 * thousand that fails, to go unnoticed; few enough for a dead server to cost no more than one round of what is in flight.
 */
export const FAILURES_TO_OPEN = 5;
/** Seconds that the breaker stays open before one operation may try again. */
export const COOL_DOWN_S = 5;

export interface BreakerParts {
  readonly tierType: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether the server did answer, with this error. */
  readonly isAnswer: (error: unknown) => boolean;
}

/**
 * Keeps a tier away from a server that does not answer. {@link FAILURES_TO_OPEN} failures in a row open it: every
 * operation is refused at once then. After {@link COOL_DOWN_S} the next operation is let through as a probe, and the
 * others are refused until it has ended: its success closes the breaker, its failure opens it for another cool-down.
 *
 * A failure is whatever is the server's doing: an error, or no answer before the signal is aborted. That a block is not
 * there, or is damaged, is an answer. Several operations that fail together count one by one.
 */
export class EngineBreaker {
  readonly #parts: BreakerParts;
  readonly #policy: Cockatiel.CircuitBreakerPolicy;
  readonly #states: typeof Cockatiel.CircuitState;
  #probeAt = -Infinity;
  #isShutDown = false;
  #isReported = false;
  #opens = 0;
  #failures = 0;

  /** The package that it stands on is loaded only when there is a remote tier. */
  static async load(parts: BreakerParts): Promise<EngineBreaker> {
    return new EngineBreaker(await import("cockatiel"), parts);
  }

  private constructor(cockatiel: typeof Cockatiel, parts: BreakerParts) {
    const { circuitBreaker, CircuitState, ConsecutiveBreaker, handleAll } = cockatiel;
    this.#parts = parts;
    this.#states = CircuitState;
    this.#policy = circuitBreaker(handleAll, {
      breaker: new ConsecutiveBreaker(FAILURES_TO_OPEN),
      halfOpenAfter: { next: () => this.#coolDown() },
    });
    this.#policy.onBreak((reason) => this.#opened("error" in reason ? reason.error : undefined));
    this.#policy.onReset(() => this.#reset());
  }

  /** Why an operation would be refused now, in a sentence; `null` when it would not. */
  get refusal(): string | null {
    const { state } = this.#policy;
    if (state === this.#states.Closed) return null;
    if (state === this.#states.Open) {
      const left = this.#probeAt - this.#parts.clock.now();
      return left > 0 ? `The server does not answer; it is tried again in ${left.toFixed(1)} s.` : null;
    }
    return "The server did not answer, and is being tried again.";
  }

  /** `breakerOpen` (1: not closed), `breakerOpens` (how often it opened), `engineFailures` (operations that failed). */
  get figures(): TierFigures {
    return {
      breakerOpen: this.#policy.state === this.#states.Closed ? 0 : 1,
      breakerOpens: this.#opens,
      engineFailures: this.#failures,
    };
  }

  /**
   * Runs `operation`, unless it is refused, and answers as it does. An abort counts at once; the answer still waits for
   * the operation to settle, because until then it may touch its block.
   *
   * @param signal aborted when the operation took too long
   */
  async run<T>(operation: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { refusal } = this;
    if (refusal !== null) throw new Error(refusal);
    const answer = (async () => operation())();
    // What becomes of the answer is the caller's; the breaker only wants to know whose fault it is.
    this.#policy.execute(() => this.#verdictOn(answer, signal)).catch(() => {});
    return answer;
  }

  /** From now on failures are the tier's own doing. */
  shutDown(): void {
    this.#isShutDown = true;
  }

  /** Rejects when the server is at fault. */
  async #verdictOn(answer: Promise<unknown>, signal: AbortSignal): Promise<void> {
    try {
      await settledOrAborted(answer, signal);
    } catch (error) {
      if (this.#isShutDown || this.#parts.isAnswer(error)) return;
      this.#failures++;
      throw error;
    }
  }

  /** Asked by the package, which looks at the clock on the wall: that may be set, the tier's cannot. */
  #coolDown(): Cockatiel.IBackoff<unknown> {
    const { clock } = this.#parts;
    this.#probeAt = clock.now() + COOL_DOWN_S;
    const probeAt = this.#probeAt;
    return {
      get duration(): number {
        return clock.now() < probeAt ? Infinity : -Infinity;
      },
      next: () => this.#coolDown(),
    };
  }

  /** A probe that fails opens it anew, which is no news. */
  #opened(reason: unknown): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#opens++;
    this.#parts.logger.warn("The server does not answer: look-ups miss and stores are dropped until it does", {
      tier: this.#parts.tierType,
      failures: FAILURES_TO_OPEN,
      error: reasonOf(reason),
    });
  }

  #reset(): void {
    this.#isReported = false;
    this.#parts.logger.warn("The server answers again", { tier: this.#parts.tierType });
  }
}

async function settledOrAborted(answer: Promise<unknown>, signal: AbortSignal): Promise<void> {
  let stopListening = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error("Aborted."));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort);
    stopListening = () => signal.removeEventListener("abort", onAbort);
  });
  try {
    await Promise.race([answer, aborted]);
  } finally {
    stopListening();
  }
}
