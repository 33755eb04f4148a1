/** The longest interval that Node takes, in milliseconds. */
const MAX_INTERVAL_MS = 2 ** 31 - 1;

/**
 * Keeps the process from ending until the returned function is called: the timers of a clock do not, and somebody who
 * awaits a deadline must not find the process gone before it passes.
 */
export function keepProcessAlive(): () => void {
  const timer = setInterval(() => {}, MAX_INTERVAL_MS);
  return () => clearInterval(timer);
}
