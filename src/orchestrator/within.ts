import type { Clock } from "../contracts/clock.js";

/** By how much a tier may overrun its deadline before it is not waited for any more, in seconds. */
const GRACE_S = 1;

/**
 * What `ending` resolves to. It was given `seconds` to end; when it has not by then, and a second more, this rejects with
 * an error that begins with `what`.
 */
export async function within<T>(clock: Clock, seconds: number, what: string, ending: Promise<T>): Promise<T> {
  if (seconds === Infinity) return ending;
  let cancel = (): void => {};
  const overdue = new Promise<never>((_, reject) => {
    // What ended in time may still be on its way through promises, when a clock is moved on by much at once.
    cancel = clock.after(seconds + GRACE_S, () => setImmediate(reject, new Error(`${what} within ${seconds} s.`)));
  });
  try {
    return await Promise.race([ending, overdue]);
  } finally {
    cancel();
  }
}
