import type { Clock } from "../../../contracts/clock.js";

/**
 * Runs `work` again and again, `seconds` after its last end, until the returned function is called. `work` deals with its
 * own failures.
 */
export function repeat(clock: Clock, seconds: number, work: () => Promise<void>): () => void {
  let isOver = false;
  let cancel = (): void => {};
  const arm = (): void => {
    if (isOver) return;
    cancel = clock.after(seconds, () => void work().then(arm, arm));
  };
  arm();
  return () => {
    isOver = true;
    cancel();
  };
}
