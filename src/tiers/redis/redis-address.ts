const DEFAULT_PORT = 6379;

/** Where a server listens. */
export interface RedisAddress {
  /** Name or IP address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** What the URL of one server says. */
export interface RedisUrlParts {
  readonly address: RedisAddress;
  readonly isTls: boolean;
  readonly database: number;
  readonly username?: string;
  readonly password?: string;
}

const SCHEMES: ReadonlySet<string> = new Set(["redis:", "rediss:"]);
const DATABASE = /^\/?(\d{0,5})$/;
const NODE = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@[\]?#]+)):(\d{1,5})$/;

/** Whether `value` is a URL that {@link parseRedisUrl} reads. */
export function isRedisUrl(value: unknown): value is string {
  return typeof value === "string" && partsOf(value) !== null;
}

/** @throws Error when it is none; the text of the URL is not in the message */
export function parseRedisUrl(url: string): RedisUrlParts {
  const parts = partsOf(url);
  if (parts === null) throw new Error("The URL of the Redis server cannot be read.");
  return parts;
}

/** `host:port` of a cluster's node, IPv6 in brackets; `null` when it is none. */
export function parseNode(value: unknown): RedisAddress | null {
  const [, ipv6, host, digits] = (typeof value === "string" ? NODE.exec(value) : null) ?? [];
  const name = ipv6 ?? host;
  const port = Number(digits);
  return name === undefined || port < 1 || port > 65535 ? null : { host: name, port };
}

/** As {@link parseNode} reads it. Names a server in logs, and tells it from others. */
export function formatAddress({ host, port }: RedisAddress): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function partsOf(text: string): RedisUrlParts | null {
  try {
    const url = new URL(text);
    const database = DATABASE.exec(url.pathname)?.[1];
    if (!SCHEMES.has(url.protocol) || url.hostname === "" || url.search !== "" || url.hash !== "") return null;
    if (database === undefined) return null;
    const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    return {
      address: { host: url.hostname.replace(/^\[|\]$/g, ""), port: url.port === "" ? DEFAULT_PORT : Number(url.port) },
      isTls: url.protocol === "rediss:",
      database: Number(database),
      ...(username !== "" && { username }),
      ...(password !== "" && { password }),
    };
  } catch {
    return null;
  }
}
