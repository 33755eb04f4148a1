/** Monotonic time in seconds. All of kvtier's time comes from one of these. */
export interface Clock {
  /** Seconds since some fixed, arbitrary moment; never goes back. */
  now(): number;
  /** Calls `fn` once, `seconds` from now; the returned function cancels that. Never keeps the process alive. */
  after(seconds: number, fn: () => void): () => void;
}

/** Longest delay of a Node timer; longer ones would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The clock of the process. */
export const systemClock: Clock = Object.freeze({
  now: () => performance.now() / 1000,
  after(seconds: number, fn: () => void): () => void {
    const due = performance.now() + seconds * 1000;
    let timer: NodeJS.Timeout;
    // A timer may fire a fraction early, and cannot wait for longer than 25 days: what is left is waited for again.
    const wait = (): void => {
      const left = Math.min(Math.max(0, due - performance.now()), MAX_TIMER_MS);
      timer = setTimeout(() => (performance.now() < due ? wait() : fn()), Math.ceil(left));
      timer.unref();
    };
    wait();
    return () => clearTimeout(timer);
  },
});

/** Seconds since 1970 by the process: for what leaves it, such as the time of an event. It may go back. */
export const wallTime = (): number => (performance.timeOrigin + performance.now()) / 1000;
