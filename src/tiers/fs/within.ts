import type { Clock } from "../../contracts/clock.js";

/** Waits for `work`, but no longer than `seconds`. Returns whether it ended in time; a failure in time is thrown. */
export async function within(clock: Clock, seconds: number, work: Promise<unknown>): Promise<boolean> {
  let cancel = (): void => {};
  const overdue = new Promise<boolean>((resolve) => {
    cancel = clock.after(seconds, () => resolve(false));
  });
  // What fails too late is nobody's business any more.
  work.catch(() => {});
  try {
    return await Promise.race([work.then(() => true), overdue]);
  } finally {
    cancel();
  }
}
