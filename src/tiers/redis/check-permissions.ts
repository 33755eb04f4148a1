import type { Logger } from "../../contracts/logger.js";
import type { BlockCommands } from "./block-commands.js";
import { hintFor } from "./diagnose.js";
import { RedisError } from "./redis-error.js";

export interface PermissionCheck {
  readonly commands: BlockCommands;
  /** A key that no block has. */
  readonly key: string;
  readonly ttlMs: number | undefined;
  readonly logger: Logger;
  readonly tierType: string;
}

/**
 * Tries the commands that blocks need, on a key of its own that expires at once. What is not allowed now will never be;
 * whatever else fails, such as a server that is full or still reads its data, may pass, and is logged.
 *
 * @throws RedisError `NOPERM` that says what to check
 */
export async function checkPermissions({ commands, key, ttlMs, logger, tierType }: PermissionCheck): Promise<void> {
  const attempts = [
    () => commands.exists(key),
    () => commands.set(key, [], 1),
    () => commands.get(key, () => null, ttlMs),
    () => commands.unlink(key),
  ];
  for (const attempt of attempts) {
    try {
      await attempt();
    } catch (reason) {
      const error = RedisError.from(reason, tierType);
      if (error.code === "NOPERM") throw new RedisError(error.code, `${error.message}${hintFor(error)}`);
      logger.warn("The server is not ready for blocks yet", { tier: tierType, error: error.message });
      return;
    }
  }
}
