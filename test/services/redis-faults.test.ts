import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { describeRedis } from "../support/redis/describe-redis.js";
import { underLoad } from "../support/tier-load.js";
import { RedisProcess } from "../support/redis/redis-process.js";
import { until } from "../support/until.js";

async function evictedKeys(server: RedisProcess): Promise<number> {
  return Number(/evicted_keys:(\d+)/.exec(await server.cli("INFO", "stats"))?.[1]);
}

describeRedis("a cache over a Redis server, under load", () => {
  let server: RedisProcess;
  beforeEach(async () => void (server = await RedisProcess.start()));
  afterEach(() => server.stop());

  it("answers every request while the server is killed, and uses it again when it is back", async () => {
    await underLoad({ type: "redis", url: server.url }, async (load) => {
      await load.hits(20);
      await server.kill();
      await load.requests(200);
      expect(load.figure("breakerOpens")).toBeGreaterThan(0);
      await server.restart();
      await load.hits(20);
    });
    await until("no sockets", async () => (await server.connections()) === 0);
  });

  it("answers every request while the server is frozen, and uses it again when it goes on", async () => {
    await underLoad({ type: "redis", url: server.url }, async (load) => {
      await load.hits(20);
      server.freeze();
      await load.requests(100);
      server.thaw();
      await load.hits(20);
    });
    await until("no sockets", async () => (await server.connections()) === 0);
  });

  it("still loads what a full server holds, and stores again when there is room", async () => {
    await server.cli("CONFIG", "SET", "maxmemory", "4mb");
    await underLoad({ type: "redis", url: server.url }, async (load) => {
      await until("the server to be full", () => load.figure("blocksRefused") > 20);
      await load.hits(20);
      expect(load.figure("breakerOpens")).toBe(0);
      await server.cli("CONFIG", "SET", "maxmemory", "0");
      const written = load.figure("blocksWritten");
      await until("stores", () => load.figure("blocksWritten") > written);
    });
  });

  it("takes what the server evicts for misses", async () => {
    await server.cli("CONFIG", "SET", "maxmemory", "4mb");
    await server.cli("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
    await underLoad({ type: "redis", url: server.url }, async (load) => {
      await load.hits(50);
      await until("evictions", async () => (await evictedKeys(server)) > 20);
      await load.hits(20);
      expect(load.figure("checksumFailures")).toBe(0);
    });
  });

  it("takes what is flushed, and what expires, for misses", () =>
    underLoad({ type: "redis", url: server.url, ttl_s: 1 }, async (load) => {
      await load.hits(20);
      await server.cli("FLUSHALL");
      await load.requests(100);
      await load.hits(20);
    }));

  it("connects again after the password was changed back", () =>
    underLoad({ type: "redis", url: server.url }, async (load) => {
      await load.hits(20);
      await server.cli("CONFIG", "SET", "requirepass", "other");
      await server.cli("-a", "other", "CLIENT", "KILL", "TYPE", "normal");
      await load.requests(100);
      await server.cli("-a", "other", "CONFIG", "SET", "requirepass", "");
      await load.hits(20);
    }));
});
