import type { Clock } from "./clock.js";

/**
 * Waits for `promise`, `seconds` at most (`Infinity` = until it settles): whether it was in time. Rejects as it does, if in
 * time; later nobody hears it.
 */
export async function untilDeadline(clock: Clock, seconds: number, promise: Promise<unknown>): Promise<boolean> {
  if (seconds === Infinity) return promise.then(() => true);
  let cancelTimer = (): void => {};
  const overdue = new Promise<false>((resolve) => {
    // What ended in time may still be on its way through promises, when a clock is moved on by much at once.
    cancelTimer = clock.after(seconds, () => setImmediate(resolve, false));
  });
  try {
    return await Promise.race([promise.then(() => true), overdue]);
  } finally {
    cancelTimer();
  }
}
