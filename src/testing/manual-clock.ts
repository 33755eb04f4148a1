import type { Clock } from "../contracts/clock.js";
import { KvTierError } from "../errors/kv-tier-error.js";

interface Timer {
  readonly at: number;
  readonly fn: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  /** In the order they were set. */
  readonly #timers = new Set<Timer>();
  #now: number;

  /** @param startS what the clock shows at first, seconds */
  constructor(startS = 0) {
    this.#now = startS;
  }

  now(): number {
    return this.#now;
  }

  /** Timers that are set and have not fired. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  after(seconds: number, fn: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(0, seconds), fn };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /**
   * Moves the clock on by `seconds` and fires what comes due on the way, in order of time (of setting, at equal times),
   * timers that are set meanwhile included. Each sees its own time as `now()`. Promises settle only after the test awaits.
   *
   * @throws KvTierError `INVALID_STATE` when `seconds` is negative or no number: a clock never goes back.
   */
  advance(seconds: number): void {
    if (!(seconds >= 0)) {
      throw new KvTierError("INVALID_STATE", `A clock advances by 0 seconds or more; got ${seconds}.`);
    }
    const end = this.#now + seconds;
    for (let timer = this.#nextDue(end); timer !== undefined; timer = this.#nextDue(end)) {
      this.#timers.delete(timer);
      this.#now = timer.at;
      timer.fn();
    }
    this.#now = end;
  }

  #nextDue(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at <= end && (next === undefined || timer.at < next.at)) next = timer;
    }
    return next;
  }
}
