/** Codes of a server that is busy, and of a request that another one came in the way of. */
const TRY_AGAIN: ReadonlySet<string> = new Set([
  "RequestTimeout",
  "RequestTimeoutException",
  "SlowDown",
  "ThrottlingException",
  "Throttling",
  "RequestThrottled",
  "OperationAborted",
  "ConditionalRequestConflict",
]);
const TRY_AGAIN_STATUS: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
const EXPIRED: ReadonlySet<string> = new Set(["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired"]);
const MAX_MESSAGE_CHARACTERS = 200;

/** A request that an S3 server did not do. */
export class S3Error extends Error {
  override readonly name = "S3Error";
  /** Of HTTP; 0 when there was no answer. */
  readonly status: number;
  /** The server's own word for it, such as `AccessDenied`; `HTTP_<status>` when it has none. */
  readonly code: string;

  constructor(status: number, code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status;
    this.code = code;
  }

  /** @param body of the answer: XML with code and message, if it is S3 that answered */
  static of(method: string, status: number, body: string): S3Error {
    const code = tagOf(body, "Code") ?? `HTTP_${status}`;
    const message = tagOf(body, "Message");
    const said = message === undefined || message === "" ? "" : `: ${message.slice(0, MAX_MESSAGE_CHARACTERS)}`;
    return new S3Error(status, code, `${method} was answered ${status} ${code}${said}`);
  }

  /** Whether the same request may be answered otherwise soon. */
  get isTransient(): boolean {
    return TRY_AGAIN_STATUS.has(this.status) || TRY_AGAIN.has(this.code);
  }

  get isExpiredToken(): boolean {
    return EXPIRED.has(this.code);
  }
}

/** The text of the first element `name`, which has no elements in it. */
function tagOf(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`);
  const end = xml.indexOf(`</${name}>`, start);
  return start === -1 || end === -1 ? undefined : xml.slice(start + name.length + 2, end).trim();
}
