import type { Clock } from "./clock.js";
import { untilDeadline } from "./until-deadline.js";

/**
 * What `work` resolves to, or rejects with. When it has not ended after `seconds`, and `graceS` more, this rejects with an
 * error that begins with `what`, such as `closing it did not end`.
 */
export async function within<T>(clock: Clock, seconds: number, what: string, work: Promise<T>, graceS = 0): Promise<T> {
  if (!(await untilDeadline(clock, seconds + graceS, work))) throw new Error(`${what} within ${seconds} s.`);
  return work;
}
