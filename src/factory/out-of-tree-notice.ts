import type { Logger } from "../contracts/logger.js";

let warned = false;

/** Says which module serves a tier, and once per process that the interface for such tiers may still change. */
export function warnOutOfTree(logger: Logger, type: string, modulePath: string): void {
  const origin = `Secondary tier '${type}' comes from module '${modulePath}'.`;
  const fields = { type, modulePath };
  if (warned) {
    logger.info(origin, fields);
    return;
  }
  warned = true;
  logger.warn(`${origin} The interface for tiers of your own is experimental and may change.`, fields);
}
