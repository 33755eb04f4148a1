import type { BlockCommands } from "./block-commands.js";
import type { RedisServer } from "./redis-server.js";

/** Keys that a server looks at for one answer: few enough not to hold others up. */
const SCAN_COUNT = "1000";

/**
 * Removes every key that `pattern` matches from every server, by `SCAN` and `UNLINK`. Keys that come meanwhile may stay.
 *
 * @throws the first error, once each server was tried
 */
export async function clearBlocks(
  servers: readonly RedisServer[],
  commands: BlockCommands,
  pattern: string,
): Promise<void> {
  const ends = await Promise.allSettled(servers.map((server) => clearServer(server, commands, pattern)));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

async function clearServer(server: RedisServer, commands: BlockCommands, pattern: string): Promise<void> {
  let cursor = "0";
  do {
    const reply = await server.send(["SCAN", cursor, "MATCH", pattern, "COUNT", SCAN_COUNT]);
    const [next, keys] = Array.isArray(reply) ? (reply as unknown[]) : [];
    if (typeof next !== "string" || !Array.isArray(keys)) throw new Error(`${server.name}: SCAN was not answered.`);
    await Promise.all(keys.map((key) => commands.unlink(String(key))));
    cursor = next;
  } while (cursor !== "0");
}
