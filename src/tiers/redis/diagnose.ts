import type { RedisError } from "./redis-error.js";

const HUNG_UP = /closed unexpectedly|ECONNRESET|EPIPE/;

/** What to check, by the code of an error or words of its message; the first that fits. */
const HINTS: readonly (readonly [cause: RegExp, hint: string])[] = [
  [/WRONGPASS/, "Check username and password."],
  [/NOAUTH/, "The server wants a password: set password, and username for an ACL user."],
  [/NOPERM/, "The ACL user must be allowed the commands that docs/redis.md lists, on the keys of key_prefix."],
  [/ENOTFOUND|EAI_AGAIN/, "There is no such host: check the name."],
  [/ECONNREFUSED/, "Nothing listens there: check host and port, and that the server runs."],
  [/Unknown RESP type/, "What listens there does not speak Redis: check host and port."],
  [/DB index is out of range/, "The server has fewer databases: check the one in url."],
  [
    /max number of clients/,
    "The server has all the connections that it may: raise its maxclients, or lower connections.",
  ],
  [/DENIED/, "The server is in protected mode: give it a password, or an address to bind to."],
  [/unknown command.*HELLO|NOPROTO/i, "The server is too old: Redis 6.2 or Valkey is needed."],
  [/ALTNAME/, "The certificate is for another name: set tls.server_name."],
  [/CERT_HAS_EXPIRED/, "The server's certificate has expired."],
  [/CERT_NOT_YET_VALID/, "The server's certificate is not valid yet: check the clocks of both machines."],
  [
    /ALERT.CERTIFICATE.REQUIRED|ALERT.HANDSHAKE.FAILURE/i,
    "The server may want a certificate: set tls.cert_file and tls.key_file.",
  ],
  [/ALERT.UNKNOWN.CA|ALERT.BAD.CERTIFICATE/i, "The server does not trust tls.cert_file."],
  [/CERT|UNABLE_TO_(?:VERIFY|GET)_/, "The certificate is not trusted: set tls.ca_file to that of its authority."],
  [/EPROTO|SSL|wrong version/i, "The port seems not to speak TLS: check the port, or leave tls out."],
  [HUNG_UP, "The server hung up: if the port is for TLS, set tls or use rediss://."],
  [
    /TIMED_OUT|timeout|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/i,
    "Check host, port and firewall, and that both sides agree on TLS.",
  ],
];

/** The same over TLS, where it means something else. */
const TLS_HINTS: typeof HINTS = [
  [
    HUNG_UP,
    "The server hung up: it may want a certificate, so set tls.cert_file and tls.key_file, or the port is not for TLS.",
  ],
];

/**
 * What to check, now that this happened while a tier started; `""` when there is nothing to say.
 *
 * @param isTls whether the connection was, or was to be, encrypted
 */
export function hintFor({ code, message }: RedisError, isTls = false): string {
  const text = `${code} ${message}`;
  const hint = [...(isTls ? TLS_HINTS : []), ...HINTS].find(([cause]) => cause.test(text))?.[1];
  return hint === undefined ? "" : ` ${hint}`;
}
