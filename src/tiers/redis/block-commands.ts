import type { PlaceFor } from "./block-client.js";
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
    return (await this.#run(key, (server, isAsking) => server.send(["EXISTS", key], isAsking))) === 1;
  }

  /**
   * @param value its pieces, in use until the promise settles
   * @param ttlMs milliseconds until it expires; absent = never
   * @throws RedisError when the server did not take it
   */
  async set(key: string, value: readonly Uint8Array[], ttlMs: number | undefined): Promise<void> {
    const expiry = ttlMs === undefined ? [] : ["PX", String(ttlMs)];
    await this.#run(key, (server, isAsking) => server.sendBlock(["SET", key, value, ...expiry], null, isAsking));
  }

  /**
   * @param placeFor where the value goes, given how many bytes it has; in use until the promise settles
   * @param ttlMs as in {@link set}: the value lives so long from now on
   * @returns bytes of the value, whether or not it had a place; `null` when there is none
   */
  async get(key: string, placeFor: PlaceFor, ttlMs: number | undefined): Promise<number | null> {
    const command = ttlMs === undefined ? ["GET", key] : ["GETEX", key, "PX", String(ttlMs)];
    const reply = await this.#run(key, (server, isAsking) => server.sendBlock(command, placeFor, isAsking));
    if (reply === null || typeof reply === "number") return reply;
    throw new RedisError("FAILED", "The reply is no value.");
  }

  /** @throws RedisError. One that is not there is no fault. */
  async unlink(key: string): Promise<void> {
    await this.#run(key, (server, isAsking) => server.send(["UNLINK", key], isAsking));
  }

  async #run<T>(key: string, send: (server: RedisServer, isAsking: boolean) => Promise<T>): Promise<T> {
    let server = this.#servers.serverOf(key);
    let isAsking = false;
    for (let redirections = 0; ; redirections++) {
      try {
        return await send(server, isAsking);
      } catch (error) {
        const next = redirections < MAX_REDIRECTIONS ? this.#redirected(error, server) : null;
        if (next === null) throw this.#failed(error, server);
        server = next.server;
        isAsking = next.isAsking;
      }
    }
  }

  #redirected(error: unknown, from: RedisServer): { server: RedisServer; isAsking: boolean } | null {
    const redirection = redirectionOf(error);
    if (redirection === null) return null;
    const { isMoved, host, port } = redirection;
    const server = this.#servers.serverAt(host === "" ? from.address.host : host, port);
    return server === null ? null : { server, isAsking: !isMoved };
  }

  #failed(error: unknown, server: RedisServer): RedisError {
    const fault = RedisError.from(error, server.name);
    this.#servers.doubt(server, fault);
    return fault;
  }
}
