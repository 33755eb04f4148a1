import { loadPeers } from "../remote/load-peers.js";

/** What is used of a client of the package `redis`. It has no reconnecting and no queue of its own; see `ClientSettings`. */
export interface RedisClient {
  connect(): Promise<unknown>;
  /** Rejects what is out. May be called again. */
  destroy(): void;
  sendCommand(args: readonly string[]): Promise<unknown>;
  on(event: "error", listener: (error: unknown) => void): unknown;
  ref(): void;
  unref(): void;
}

/** Options of its `createClient`. */
export interface ClientSettings {
  readonly name: string;
  readonly username?: string;
  readonly password?: string;
  readonly database?: number;
  readonly socket: SocketSettings;
  readonly disableOfflineQueue: true;
  readonly disableClientInfo: true;
  readonly maintNotifications: "disabled";
  readonly commandOptions: object;
}

/** Whom to connect to, and how: as `net.connect` and `tls.connect` take it, and what is the package's alone, such as `tls`. */
export type SocketSettings = Readonly<Record<string, unknown>> & { readonly host: string; readonly port: number };

export type CreateClient = (settings: ClientSettings) => RedisClient;

/**
 * Of one class, with which clients differ in settings alone: the package's own `createClient` makes a new class, of some
 * hundred commands, whenever the settings are not those of the call before, which for a cluster that is down took all the
 * time there was.
 *
 * @throws KvTierError `PEER_DEPENDENCY_MISSING` when the package is not installed
 */
export async function loadRedis(): Promise<CreateClient> {
  const { RedisClient } = await loadPeers("The redis tier", ["redis@6"], () => import("redis"));
  const create = RedisClient.factory();
  // Its own types name every command of every module, for each of its settings.
  return (settings) => create(settings);
}
