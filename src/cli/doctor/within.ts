import type { Clock } from "../../contracts/clock.js";

/** Settles as `work` does, or rejects after `seconds`: what is checked may hang, and the check must not. */
export async function within<T>(clock: Clock, seconds: number, what: string, work: Promise<T>): Promise<T> {
  let cancel = (): void => {};
  const overdue = new Promise<never>((_, reject) => {
    cancel = clock.after(seconds, () => reject(new Error(`${what} did not end within ${seconds} s`)));
  });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    cancel();
  }
}
