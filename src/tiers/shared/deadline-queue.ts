import type { Clock } from "../../contracts/clock.js";

interface Deadline {
  /** Seconds on the clock. */
  readonly at: number;
  readonly onDue: () => void;
}

/** Sums of seconds differ by rounding; a timer that comes this much too early is on time. */
const TOLERANCE_S = 1e-6;

/**
 * Deadlines that are all equally far away, so that they come due in the order they were added: one timer is enough,
 * however many are open.
 */
export class DeadlineQueue {
  readonly #clock: Clock;
  readonly #seconds: number;
  /** In order of `at`. */
  readonly #open = new Set<Deadline>();
  #cancelTimer: (() => void) | null = null;

  constructor(clock: Clock, seconds: number) {
    this.#clock = clock;
    this.#seconds = seconds;
  }

  /** Calls `onDue` once, when the deadline passes. The returned function takes it off. */
  add(onDue: () => void): () => void {
    const deadline: Deadline = { at: this.#clock.now() + this.#seconds, onDue };
    this.#open.add(deadline);
    this.#arm();
    return () => this.#remove(deadline);
  }

  #remove(deadline: Deadline): void {
    if (!this.#open.delete(deadline) || this.#open.size > 0) return;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }

  /** A timer that is set stays: at worst it finds its deadline taken off, and is set again for the next one. */
  #arm(): void {
    if (this.#cancelTimer !== null) return;
    for (const next of this.#open) {
      if (next.at === Infinity) return;
      this.#cancelTimer = this.#clock.after(Math.max(0, next.at - this.#clock.now()), () => this.#fire());
      return;
    }
  }

  #fire(): void {
    this.#cancelTimer = null;
    const due = this.#clock.now() + TOLERANCE_S;
    for (const deadline of this.#open) {
      if (deadline.at > due) break;
      this.#open.delete(deadline);
      deadline.onDue();
    }
    this.#arm();
  }
}
