import type { Logger } from "../contracts/logger.js";
import { reasonOf } from "../errors/factory-errors.js";

/** Calls code that may be out of tree. When it throws, against its contract, that is logged and there is no answer. */
export function guarded<T>(logger: Logger, what: string, call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    logger.error(`${what} threw, against its contract.`, { error: reasonOf(error) });
    return undefined;
  }
}
