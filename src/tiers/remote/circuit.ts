import type * as Cockatiel from "cockatiel";
import type { Clock } from "../../contracts/clock.js";

/**
 * Failures in a row that open a circuit. Enough for a server that restarts behind a balancer, or one request in a
 * thousand that fails, to go unnoticed; few enough for a dead server to cost no more than one round of what is in flight.
 */
export const FAILURES_TO_OPEN = 5;
/** Seconds that a circuit stays open before one operation may try again. */
export const COOL_DOWN_S = 5;

export interface CircuitParts {
  readonly clock: Clock;
  /** What is wrong while it is open: `The server does not answer`. */
  readonly fault: string;
  /** Counts failures, and says which one opens the circuit. */
  readonly breaker: Cockatiel.IBreaker;
  /** It opened, and once more after each try that failed. */
  onOpened(reason: unknown): void;
  onClosed(): void;
}

/**
 * Closed, operations go through. Open, all are refused; after {@link COOL_DOWN_S} the next one is a try, and the others
 * are refused until that has ended: its success closes the circuit, its failure opens it for another cool-down.
 */
export class Circuit {
  readonly #parts: CircuitParts;
  readonly #policy: Cockatiel.CircuitBreakerPolicy;
  readonly #states: typeof Cockatiel.CircuitState;
  #tryAt = -Infinity;

  constructor({ circuitBreaker, CircuitState, handleAll }: typeof Cockatiel, parts: CircuitParts) {
    this.#parts = parts;
    this.#states = CircuitState;
    this.#policy = circuitBreaker(handleAll, {
      breaker: parts.breaker,
      halfOpenAfter: { next: () => this.#coolDown() },
    });
    this.#policy.onBreak((reason) => parts.onOpened("error" in reason ? reason.error : undefined));
    this.#policy.onReset(() => parts.onClosed());
  }

  get isClosed(): boolean {
    return this.#policy.state === this.#states.Closed;
  }

  /** Why an operation would be refused now, in a sentence; `null` when it would not. */
  get refusal(): string | null {
    const { fault, clock } = this.#parts;
    if (this.isClosed) return null;
    if (this.#policy.state !== this.#states.Open) return `${fault}, and is being tried again.`;
    const left = this.#tryAt - clock.now();
    return left > 0 ? `${fault}; it is tried again in ${left.toFixed(1)} s.` : null;
  }

  /**
   * Takes notice of an operation that was not refused and has just begun.
   *
   * @param verdict rejects when the operation has failed
   * @returns the same, once it is taken notice of
   */
  observe(verdict: Promise<void>): Promise<void> {
    return this.#policy.execute(() => verdict);
  }

  /** Asked by the package, which looks at the clock on the wall: that may be set, the tier's cannot. */
  #coolDown(): Cockatiel.IBackoff<unknown> {
    const { clock } = this.#parts;
    const tryAt = clock.now() + COOL_DOWN_S;
    this.#tryAt = tryAt;
    return {
      get duration(): number {
        return clock.now() < tryAt ? Infinity : -Infinity;
      },
      next: () => this.#coolDown(),
    };
  }
}
