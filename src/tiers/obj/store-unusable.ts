import { reasonOf } from "../../errors/factory-errors.js";
import { KvTierError } from "../../errors/kv-tier-error.js";

/** By the code of what failed: the server's own, Node's, or undici's. */
const HINTS: Readonly<Record<string, string>> = {
  NotAnObjectStore: "Another server than S3 answers there: correct endpoint_override.",
  NoSuchBucket: "Create the bucket, or correct bucket.",
  InvalidAccessKeyId: "The server does not know this access_key: check it, and that the endpoint is the right one.",
  SignatureDoesNotMatch: "Check secret_key, and that nothing between here and the server changes requests.",
  AccessDenied:
    "The keys need s3:ListBucket on the bucket, and s3:GetObject, s3:PutObject, s3:DeleteObject below prefix.",
  ExpiredToken: "The temporary keys have expired: give new ones, or none, so that the credential chain renews them.",
  InvalidToken: "session_token does not belong to access_key.",
  RequestTimeTooSkewed: "The clock of this machine or of the server is wrong: check NTP.",
  AuthorizationHeaderMalformed: "The bucket is in another region: correct region.",
  PermanentRedirect: "The bucket is in another region: correct region and endpoint_override.",
  TemporaryRedirect: "The bucket is in another region: correct region and endpoint_override.",
  NoCredentials: "Give access_key and secret_key, or set up one of the sources that the AWS SDKs look at.",
  ENOTFOUND:
    "There is no host of that name: correct endpoint_override; with use_virtual_addressing, bucket.host must exist.",
  EAI_AGAIN: "The host's name cannot be looked up now: check DNS.",
  ECONNREFUSED: "Nothing listens there: check host and port of endpoint_override, and that the server runs.",
  EHOSTUNREACH: "There is no way to the host: check endpoint_override and the network.",
  ENETUNREACH: "There is no way to the host: check endpoint_override and the network.",
  UND_ERR_CONNECT_TIMEOUT: "The host does not answer: check endpoint_override, and firewalls in between.",
  UND_ERR_SOCKET: "The server closed the connection: does it want scheme https?",
  ECONNRESET: "The server closed the connection: does it want scheme https?",
  ERR_SSL_WRONG_VERSION_NUMBER: "The server does not speak TLS on this port: set scheme to http, or correct the port.",
  ERR_SSL_PACKET_LENGTH_TOO_LONG:
    "The server does not speak TLS on this port: set scheme to http, or correct the port.",
  EPROTO: "The server does not speak TLS on this port: set scheme to http, or correct the port.",
  CERT_HAS_EXPIRED: "The server's certificate has expired.",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "The server's certificate is for another host: correct endpoint_override or use_virtual_addressing.",
};
const UNTRUSTED = "The server's certificate is of an authority that is not trusted: name its file in ca_bundle.";
const UNTRUSTED_CODES = /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_UNTRUSTED)/;

/**
 * Why a bucket cannot be used at all, and what to check.
 *
 * @param where origin and bucket
 */
export function storeUnusable(where: string, cause: unknown): KvTierError {
  const code = codeOf(cause);
  const hint = hintFor(code, cause);
  const reason = reasonOf(cause).replace(/[.\s]+$/, "");
  return new KvTierError("TIER_INIT_FAILED", `${where} cannot be used: ${reason}. ${hint}`, { cause });
}

function hintFor(code: string, cause: unknown): string {
  if (UNTRUSTED_CODES.test(code)) return UNTRUSTED;
  // A server that waits for TLS takes a plain request for rubbish, and says so in as many ways as there are servers.
  if (code.startsWith("HPE_") || /plain HTTP request|HTTP request to an HTTPS/i.test(reasonOf(cause))) {
    return "What answers there speaks no plain HTTP: does it want scheme https?";
  }
  return HINTS[code] ?? "Check endpoint_override, scheme, bucket and keys.";
}

/** Of the error, or of the first in the chain of its causes that has one. */
function codeOf(error: unknown): string {
  let cause = error;
  for (let depth = 0; typeof cause === "object" && cause !== null && depth < 8; depth++) {
    const code: unknown = Reflect.get(cause, "code");
    if (typeof code === "string") return code;
    cause = Reflect.get(cause, "cause");
  }
  return "";
}
