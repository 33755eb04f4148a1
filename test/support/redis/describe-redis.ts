import { spawnSync } from "node:child_process";
import { describe } from "@jest/globals";

/**
 * As `describe`, for tests that need `redis-server`. Where there is none they are skipped, and say so; not in CI, where that
 * would go unnoticed.
 */
export function describeRedis(name: string, body: () => void): void {
  const isThere = spawnSync("redis-server", ["--version"]).status === 0;
  if (isThere || process.env.CI === "true") {
    describe(name, body);
    return;
  }
  console.warn(`Skipped, as there is no redis-server: ${name}. Debian: apt-get install -y redis-server`);
  describe.skip(name, body);
}
