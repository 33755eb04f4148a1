import type { Clock } from "../../contracts/clock.js";
import type { RedisError } from "./redis-error.js";
import type { RedisServer } from "./redis-server.js";
import type { ServerMap } from "./server-map.js";

/** Seconds between two attempts to reach the server anew because it takes no writes. */
const RENEW_EVERY_S = 10;

/** All keys on one server. */
export class SingleServer implements ServerMap {
  readonly masters: readonly RedisServer[];
  readonly #server: RedisServer;
  readonly #clock: Clock;
  #renewAt = -Infinity;

  constructor(server: RedisServer, clock: Clock) {
    this.masters = [server];
    this.#server = server;
    this.#clock = clock;
  }

  ownerOf(): RedisServer {
    return this.#server;
  }

  serverOf(): RedisServer {
    return this.#server;
  }

  serverAt(): null {
    return null;
  }

  /** After a failover the old master lives on as a replica, while the name, or the proxy, leads to the new one. */
  doubt(server: RedisServer, error: RedisError): void {
    if (error.code !== "READONLY" || this.#clock.now() < this.#renewAt) return;
    this.#renewAt = this.#clock.now() + RENEW_EVERY_S;
    server.renew(error);
  }

  close(): void {
    this.#server.close();
  }
}
