import type { Command } from "./redis-connection.js";
import { RedisError, redirectionOf } from "./redis-error.js";
import type { RedisServer } from "./redis-server.js";
import type { ServerMap } from "./server-map.js";

/** A slot that moves while it is asked for takes two; more is a circle. */
const MAX_REDIRECTIONS = 3;

/** Sends commands to the server that has their key, one round trip each, and follows a cluster whose slots move. */
export class BlockCommands {
  readonly #servers: ServerMap;

  constructor(servers: ServerMap) {
    this.#servers = servers;
  }

  /** @throws RedisError */
  async exists(key: string): Promise<boolean> {
    return (await this.#run(key, ["EXISTS", key], "send")) === 1;
  }

  /** @param ttlMs milliseconds until it expires; absent = never. @throws RedisError when the server did not take it */
  async set(key: string, value: Buffer, ttlMs: number | undefined): Promise<void> {
    const expiry = ttlMs === undefined ? [] : ["PX", String(ttlMs)];
    await this.#run(key, ["SET", key, value, ...expiry], "sendBlock");
  }

  /** @param ttlMs as in {@link set}: the value lives so long from now on. @returns `null` when there is none */
  async get(key: string, ttlMs: number | undefined): Promise<Buffer | null> {
    const command = ttlMs === undefined ? ["GET", key] : ["GETEX", key, "PX", String(ttlMs)];
    const reply = await this.#run(key, command, "sendBlock");
    if (reply === null || Buffer.isBuffer(reply)) return reply;
    throw new RedisError("FAILED", "The reply is no value.");
  }

  /** @throws RedisError. One that is not there is no fault. */
  async unlink(key: string): Promise<void> {
    await this.#run(key, ["UNLINK", key], "send");
  }

  async #run(key: string, command: Command, via: "send" | "sendBlock"): Promise<unknown> {
    let server = this.#servers.serverOf(key);
    let asking = false;
    for (let redirections = 0; ; redirections++) {
      try {
        return await server[via](command, asking);
      } catch (error) {
        const next = redirections < MAX_REDIRECTIONS ? this.#redirected(error, server) : null;
        if (next === null) throw this.#failed(error, server);
        server = next.server;
        asking = next.asking;
      }
    }
  }

  #redirected(error: unknown, from: RedisServer): { server: RedisServer; asking: boolean } | null {
    const redirection = redirectionOf(error);
    if (redirection === null) return null;
    const { isMoved, host, port } = redirection;
    const server = this.#servers.serverAt(host === "" ? from.address.host : host, port);
    return server === null ? null : { server, asking: !isMoved };
  }

  #failed(error: unknown, server: RedisServer): RedisError {
    const fault = RedisError.from(error, server.name);
    this.#servers.doubt(server, fault);
    return fault;
  }
}
