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
    const timer = setTimeout(fn, Math.min(Math.max(0, seconds) * 1000, MAX_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
});
