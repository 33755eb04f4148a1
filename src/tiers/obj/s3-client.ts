import type * as Cockatiel from "cockatiel";
import type { Pool } from "undici";
import { isBlockFault } from "../remote/is-block-fault.js";
import type { Credentials } from "./credentials.js";
import { encodePart, objectPath, type S3Endpoint } from "./endpoint.js";
import { exchange, type Reply } from "./exchange.js";
import type { ObjPeers } from "./obj-peers.js";
import { S3Error } from "./s3-error.js";
import { S3Signer, type SignedRequest } from "./s3-signer.js";

/** One request to the bucket. */
export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  /** Of the object; `""` = the bucket. */
  readonly name: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Where the body of an answer of 200 goes; see `exchange`. */
  readonly into?: Uint8Array;
}

export interface S3ClientParts {
  readonly peers: ObjPeers;
  readonly endpoint: S3Endpoint;
  readonly region: string;
  readonly credentials: Credentials;
  /** Connections that move blocks, and those for all that is small. */
  readonly transfers: number;
  readonly asks: number;
  readonly ca: string | undefined;
  readonly connectTimeoutS: number;
  readonly signsBody: boolean;
  /** Milliseconds before the first retry, with jitter; the next ones wait longer. */
  readonly retryDelayMs: number;
}

/** Tries of one request, the first included. */
const MAX_TRIES = 4;
/** The longest wait between two tries, milliseconds. */
const MAX_RETRY_DELAY_MS = 2000;

/**
 * Sends signed requests to one bucket. A busy server, or a connection that breaks, is tried again with growing, random
 * waits, as long as the signal allows. Keys that have expired are renewed once.
 *
 * Small requests have connections of their own, so that a look-up never waits for a block.
 */
export class S3Client {
  readonly #parts: S3ClientParts;
  readonly #signer: S3Signer;
  readonly #transfers: Pool;
  readonly #asks: Pool;
  readonly #retry: Cockatiel.IPolicy;
  #retries = 0;

  static async open(parts: S3ClientParts): Promise<S3Client> {
    return new S3Client(await import("cockatiel"), parts);
  }

  private constructor(cockatiel: typeof Cockatiel, parts: S3ClientParts) {
    const { ExponentialBackoff, handleWhen, retry } = cockatiel;
    this.#parts = parts;
    this.#signer = new S3Signer(parts);
    this.#transfers = this.#pool(parts.transfers);
    this.#asks = this.#pool(parts.asks);
    const policy = retry(handleWhen(isTransient), {
      maxAttempts: MAX_TRIES - 1,
      backoff: new ExponentialBackoff({ initialDelay: parts.retryDelayMs, maxDelay: MAX_RETRY_DELAY_MS }),
    }).dangerouslyUnref();
    policy.onRetry(() => this.#retries++);
    this.#retry = policy;
  }

  /** `connections` (open ones), `retries`, `credentialRefreshes`. */
  get figures(): Readonly<Record<string, number>> {
    return {
      connections: this.#transfers.stats.connected + this.#asks.stats.connected,
      retries: this.#retries,
      credentialRefreshes: this.#parts.credentials.round,
    };
  }

  /**
   * The answer of the server, if its status is 2xx, or 200 where a block is asked for, or one of `expected`.
   *
   * @throws S3Error for any other; a `blockFault` as `exchange` does; what the connection fails with
   */
  async send(request: S3Request, signal: AbortSignal, expected: readonly number[] = []): Promise<Reply> {
    return this.#retry.execute(async () => {
      signal.throwIfAborted();
      const round = this.#parts.credentials.round;
      try {
        return await this.#try(request, signal, expected);
      } catch (error) {
        if (!(error instanceof S3Error && error.isExpiredToken)) throw error;
        if (!(await this.#parts.credentials.refresh(round))) throw error;
        return this.#try(request, signal, expected);
      }
    }, signal);
  }

  async close(): Promise<void> {
    await Promise.all([this.#transfers.destroy(), this.#asks.destroy()]);
  }

  async #try(request: S3Request, signal: AbortSignal, expected: readonly number[]): Promise<Reply> {
    const reply = await this.#exchange(request, signal);
    const { status, text } = reply;
    // Of a block nothing but a 200 has put the bytes where they go: those of an older block would be taken for its own.
    const isDone = request.into === undefined ? status >= 200 && status < 300 : status === 200;
    if (isDone || expected.includes(status)) return reply;
    if (request.method !== "HEAD") throw S3Error.of(request.method, status, text);
    // An answer to HEAD has no body that would say why: the same question, asked for a byte, has.
    if (status !== 400 && status !== 403) throw S3Error.of("HEAD", status, "");
    const asked = await this.#exchange({ method: "GET", name: request.name, headers: { range: "bytes=0-0" } }, signal);
    throw S3Error.of("HEAD", status, asked.status < 300 ? "" : asked.text);
  }

  async #exchange(request: S3Request, signal: AbortSignal): Promise<Reply> {
    const { method, name, query = {}, headers = {}, body, into } = request;
    const path = objectPath(this.#parts.endpoint, name);
    const signed: SignedRequest = await this.#signer.sign({ method, path, query, headers, body });
    const isTransfer = body !== undefined || into !== undefined;
    return exchange(
      isTransfer ? this.#transfers : this.#asks,
      {
        method,
        path: withQuery(path, query),
        headers: signed.headers,
        body: body ?? null,
        // undici would close the connection after every HEAD.
        reset: false,
      },
      signal,
      into,
    );
  }

  /** Only the signals of requests limit how long one takes: undici's own limits have another clock. */
  #pool(connections: number): Pool {
    const { peers, endpoint, ca, connectTimeoutS } = this.#parts;
    return new peers.undici.Pool(endpoint.origin, {
      connections,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: connectTimeoutS * 1000, ...(ca !== undefined && { ca }) },
    });
  }
}

/** Whatever is not the block's or the request's fault. An abort is not tried again either: the policy sees the signal. */
function isTransient(error: Error): boolean {
  return error instanceof S3Error ? error.isTransient : !isBlockFault(error);
}

function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const parts = Object.entries(query).map(([key, value]) => `${encodePart(key)}=${encodePart(value)}`);
  return parts.length === 0 ? path : `${path}?${parts.sort().join("&")}`;
}
