import type { Logger } from "../contracts/logger.js";

let warned = false;

/** Says which module serves a tier, and once per process that the interface for such tiers may still change. */
export function warnOutOfTree(logger: Logger, type: string, modulePath: string): void {
  if (!warned) {
    warned = true;
    logger.warn("The interface for secondary tiers from modules of your own is experimental and may change.");
  }
  logger.info(`Secondary tier '${type}' comes from module '${modulePath}'.`, { type, modulePath });
}
