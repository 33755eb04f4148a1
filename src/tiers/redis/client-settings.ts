import type { ClientSettings } from "./redis-client.js";
import { parseRedisUrl, type RedisAddress, type RedisUrlParts } from "./redis-address.js";
import type { RedisTierConfig } from "./redis-tier-config.js";
import { tlsSettings } from "./tls-settings.js";

/** Settings of a client to any of the servers. */
export type SettingsFor = (address: RedisAddress) => ClientSettings;

/** Seconds for a connection to be made, the greeting included. */
export const CONNECT_S = 5;

/**
 * Reads the files that the config names.
 *
 * @throws Error as `tlsSettings` does
 */
export async function clientSettings(config: RedisTierConfig): Promise<SettingsFor> {
  const url: Partial<RedisUrlParts> = config.url === undefined ? {} : parseRedisUrl(config.url);
  const username = config.username ?? url.username;
  const password = config.password ?? url.password;
  const isTls = url.isTls === true || config.tls === true;
  const tls = typeof config.tls === "object" ? await tlsSettings(config.tls) : { ...(isTls && { tls: true }) };
  return ({ host, port }) => ({
    name: "kvtier",
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(url.database !== undefined && { database: url.database }),
    socket: { host, port, ...tls, connectTimeout: CONNECT_S * 1000, reconnectStrategy: false },
    // A command for a server that is not there fails at once instead of waiting for it.
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: "disabled",
    // Deadlines are ours, on the clock of the tier: the package's do not reach commands that have been sent.
    commandOptions: { timeout: undefined },
  });
}
