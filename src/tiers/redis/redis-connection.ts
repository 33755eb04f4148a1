import { randomInt } from "node:crypto";
import type { Clock } from "../../contracts/clock.js";
import type { DeadlineQueue } from "../shared/deadline-queue.js";
import { CONNECT_S } from "./client-settings.js";
import { redirectionOf, RedisError, TIMED_OUT, UNREACHABLE } from "./redis-error.js";

/** A client that connects once, and knows how to end. */
export interface ConnectionClient {
  connect(): Promise<unknown>;
  /** Rejects what is out. May be called again. */
  destroy(): void;
  on(event: "error", listener: (error: unknown) => void): unknown;
  ref(): void;
  unref(): void;
}

export interface ConnectionParts<TClient extends ConnectionClient> {
  /** Names the server, for people. */
  readonly server: string;
  readonly clock: Clock;
  /** When a command that is not answered costs the connection. */
  readonly deadlines: DeadlineQueue;
  readonly createClient: () => TClient;
  /** It was lost, or could not be made. It is tried again by itself. */
  onLost(error: RedisError): void;
}

/** One client, from its creation until it fails. */
interface Session<TClient> {
  readonly client: TClient;
  isReady: boolean;
  endedBy: RedisError | null;
  /** Commands that are not answered. */
  pending: number;
}

const FIRST_RETRY_S = 0.05;
const LAST_RETRY_S = 2;

/**
 * A connection that is made again whenever it is lost, for ever, with pauses that grow and are never the same. Meanwhile
 * commands fail at once. One that is not answered by its deadline takes the connection with it, since no later one can be
 * answered before it.
 */
export class RedisConnection<TClient extends ConnectionClient> {
  readonly #parts: ConnectionParts<TClient>;
  #session: Session<TClient> | null = null;
  #failures = 0;
  #lastError: RedisError | null = null;
  #cancelRetry = (): void => {};
  #isClosed = false;
  #firstOutcome: Promise<void> | null = null;

  constructor(parts: ConnectionParts<TClient>) {
    this.#parts = parts;
  }

  get isReady(): boolean {
    return this.#session?.isReady === true;
  }

  get pending(): number {
    return this.#session?.pending ?? 0;
  }

  /** Starts to connect. Resolves when that has succeeded or failed once; what failed is tried again all the same. */
  open(): Promise<void> {
    this.#firstOutcome ??= this.#connect();
    return this.#firstOutcome;
  }

  /**
   * Has a command sent, and answers with its reply.
   *
   * @throws RedisError, or the reply itself when it is a redirection
   */
  async send<T>(command: (client: TClient) => Promise<T>): Promise<T> {
    // Without a turn in between, so that the deadline is not later than that of the job that is served.
    if (!this.isReady) await this.open();
    const session = this.#session;
    if (session?.isReady !== true) throw this.#unreachable();
    const cancelDeadline = this.#parts.deadlines.add(() => this.#end(session, this.#timedOut()));
    // An idle connection keeps no process alive.
    if (session.pending++ === 0) session.client.ref();
    try {
      return await command(session.client);
    } catch (error) {
      if (redirectionOf(error) !== null) throw error;
      throw session.endedBy ?? RedisError.from(error, this.#parts.server);
    } finally {
      cancelDeadline();
      if (--session.pending === 0) session.client.unref();
    }
  }

  /** Drops the connection and makes a new one, to wherever the name of the server leads by now. */
  renew(reason: RedisError): void {
    if (this.#session?.isReady === true) this.#end(this.#session, reason);
  }

  /** For good. What is out fails. */
  close(): void {
    this.#isClosed = true;
    this.#cancelRetry();
    if (this.#session !== null) this.#end(this.#session, this.#unreachable());
  }

  /** Never rejects. */
  async #connect(): Promise<void> {
    const { clock, createClient, server } = this.#parts;
    const session: Session<TClient> = { client: createClient(), isReady: false, endedBy: null, pending: 0 };
    this.#session = session;
    session.client.on("error", (error) => this.#end(session, RedisError.from(error, server)));
    const cancel = clock.after(CONNECT_S, () => {
      this.#end(session, new RedisError(TIMED_OUT, `${server}: no greeting within ${CONNECT_S} s.`));
    });
    try {
      await session.client.connect();
      if (session.endedBy === null) this.#begin(session);
      // The client does not notice that it is destroyed while it has no socket yet.
      else session.client.destroy();
    } catch (error) {
      this.#end(session, RedisError.from(error, server));
    }
    cancel();
  }

  #begin(session: Session<TClient>): void {
    session.isReady = true;
    session.client.unref();
    this.#failures = 0;
    this.#lastError = null;
  }

  #end(session: Session<TClient>, reason: RedisError): void {
    if (session.endedBy !== null) return;
    session.endedBy = reason;
    session.isReady = false;
    session.client.destroy();
    if (this.#isClosed) return;
    this.#lastError = reason;
    this.#parts.onLost(reason);
    this.#cancelRetry = this.#parts.clock.after(this.#nextPause(), () => void this.#connect());
  }

  /** Seconds. Many clients of a server that comes back must not all come at once. */
  #nextPause(): number {
    const longest = Math.min(LAST_RETRY_S, FIRST_RETRY_S * 2 ** Math.min(this.#failures++, 10));
    return longest * (0.5 + randomInt(1000) / 2000);
  }

  #unreachable(): RedisError {
    const { server } = this.#parts;
    if (this.#isClosed) return new RedisError(UNREACHABLE, `${server}: the tier is shut down.`);
    return new RedisError(UNREACHABLE, this.#lastError?.message ?? `${server}: not connected.`);
  }

  #timedOut(): RedisError {
    return new RedisError(TIMED_OUT, `${this.#parts.server}: a command was not answered in time.`);
  }
}
