import type { TierContext } from "../../contracts/tier-context.js";
import { reasonOf } from "../../errors/factory-errors.js";
import { DiskWorkers, type DiskTask, type DiskWorkersOptions } from "./disk-workers.js";

/** What of a tier its threads need: whose time they are waited for by, and where a fault of theirs is told. */
export type ThreadContext = Pick<TierContext, "clock" | "logger" | "tierType">;

export interface StartWorkersOptions extends Omit<DiskWorkersOptions, "onError"> {
  readonly context: ThreadContext;
}

/** Starts threads whose faults outside any task are logged. */
export function startWorkers<TTask extends DiskTask, TReplies extends Record<TTask["op"], unknown>>({
  context: { logger, tierType },
  ...options
}: StartWorkersOptions): DiskWorkers<TTask, TReplies> {
  const onError = (error: unknown): void =>
    logger.error("A file worker failed", { tier: tierType, error: reasonOf(error) });
  return new DiskWorkers({ ...options, onError });
}
