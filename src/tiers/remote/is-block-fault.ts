import { ABSENT, CHECKSUM, TORN } from "../shared/worker/block-fault.js";

const CODES: ReadonlySet<unknown> = new Set([ABSENT, CHECKSUM, TORN]);

/** Whether `error` says what is wrong with a block, as `blockFault` makes them: the server did answer. */
export function isBlockFault(error: unknown): boolean {
  return error instanceof Error && CODES.has(Reflect.get(error, "code"));
}
