import { readFile } from "node:fs/promises";
import type { ClientSettings } from "./redis-client.js";
import { parseRedisUrl, type RedisAddress, type RedisUrlParts } from "./redis-address.js";
import type { RedisTierConfig } from "./redis-tier-config.js";

/** Settings of a client to any of the servers. */
export type SettingsFor = (address: RedisAddress) => ClientSettings;

/** Seconds for a connection to be made, the greeting included. */
export const CONNECT_S = 5;

/**
 * Reads the files that the config names.
 *
 * @throws Error naming the option whose file cannot be read
 */
export async function clientSettings(config: RedisTierConfig): Promise<SettingsFor> {
  const url: Partial<RedisUrlParts> = config.url === undefined ? {} : parseRedisUrl(config.url);
  const username = config.username ?? url.username;
  const password = config.password ?? url.password;
  const tls = await tlsSettings(config, url.isTls === true);
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

async function tlsSettings({ tls = false }: RedisTierConfig, isTlsUrl: boolean): Promise<Record<string, unknown>> {
  if (tls === false && !isTlsUrl) return {};
  if (typeof tls === "boolean") return { tls: true };
  const [ca, cert, key] = await Promise.all([
    contentOf("tls.ca_file", tls.caFile),
    contentOf("tls.cert_file", tls.certFile),
    contentOf("tls.key_file", tls.keyFile),
  ]);
  return {
    tls: true,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(tls.serverName !== undefined && { servername: tls.serverName }),
    rejectUnauthorized: tls.verify,
  };
}

async function contentOf(option: string, file: string | undefined): Promise<Buffer | undefined> {
  if (file === undefined) return undefined;
  try {
    return await readFile(file);
  } catch (cause) {
    const code: unknown = cause instanceof Error ? Reflect.get(cause, "code") : undefined;
    throw new Error(`${option} ${JSON.stringify(file)} cannot be read (${String(code)}).`, { cause });
  }
}
