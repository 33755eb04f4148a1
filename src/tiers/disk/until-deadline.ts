import type { Clock } from "../../contracts/clock.js";

/** Waits for `promise`, `seconds` at most: whether it was in time. Rejects as it does, if in time; later nobody hears it. */
export async function untilDeadline(clock: Clock, seconds: number, promise: Promise<unknown>): Promise<boolean> {
  let cancelTimer = (): void => {};
  const overdue = new Promise<false>((resolve) => {
    cancelTimer = clock.after(seconds, () => resolve(false));
  });
  try {
    return await Promise.race([promise.then(() => true), overdue]);
  } finally {
    cancelTimer();
  }
}
