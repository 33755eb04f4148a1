import type { RedisError } from "./redis-error.js";
import type { RedisServer } from "./redis-server.js";

/** Which server has which key. */
export interface ServerMap {
  /** Every server that holds keys. */
  readonly masters: readonly RedisServer[];
  /** @returns `null` when no server is known to have it, for now */
  ownerOf(key: string): RedisServer | null;
  /** As {@link ownerOf}. @throws RedisError when there is none */
  serverOf(key: string): RedisServer;
  /** The server that a redirection names; `null` when there are no redirections here. */
  serverAt(host: string, port: number): RedisServer | null;
  /** A command failed there in a way that may mean that the map is out of date. */
  doubt(server: RedisServer, error: RedisError): void;
  close(): void;
}
