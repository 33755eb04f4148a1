import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { blockFault, TORN } from "../shared/worker/block-fault.js";
import { S3Error } from "./s3-error.js";

/** Bytes of an answer's text that are read, at most: a page of names has less. */
const MAX_TEXT_BYTES = 8 * 2 ** 20;

/** An answer whose body has been read. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body; `""` when it went into a block. */
  readonly text: string;
}

/**
 * Sends one request and reads its answer to the end, or destroys the connection: a body that nobody reads would keep it
 * from the next request for ever.
 *
 * @param into where the body of a 200 goes, and how long it must be: looked at before the first byte is taken
 * @param signal ends it; the promise settles when the connection is gone, and no byte is moved any more
 * @throws Error a `blockFault` when the body has another length, and whatever the connection fails with
 */
export function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
  into: Uint8Array | null = null,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const handler = new Exchange(into, (error, reply) => {
      signal.removeEventListener("abort", onAbort);
      if (reply === null) reject(error ?? new Error("The connection was closed."));
      else resolve(reply);
    });
    const onAbort = (): void => handler.abort(reasonFor(signal));
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort);
    dispatcher.dispatch(options, handler);
  });
}

type Done = (error: Error | null, reply: Reply | null) => void;

class Exchange implements Dispatcher.DispatchHandler {
  readonly #into: Uint8Array | null;
  readonly #done: Done;
  #controller: Dispatcher.DispatchController | null = null;
  #failure: Error | null = null;
  #isOver = false;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #isBlock = false;
  #bytes = 0;
  readonly #text: Buffer[] = [];

  constructor(into: Uint8Array | null, done: Done) {
    this.#into = into;
    this.#done = done;
  }

  /** While it waits for a connection nothing holds the block, and nothing will: it ends at once. */
  abort(reason: Error): void {
    this.#failure ??= reason;
    if (this.#controller === null) this.#end(null);
    else this.#controller.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== null) controller.abort(this.#failure);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (this.#into === null || status !== 200) return;
    const length = headers["content-length"];
    if (length === undefined) {
      this.abort(new S3Error(status, "NoContentLength", "GET was answered without a length."));
    } else if (Number(length) !== this.#into.byteLength) {
      this.abort(blockFault(TORN, `The object has ${length} bytes, and a block ${this.#into.byteLength}.`));
    } else {
      this.#isBlock = true;
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#failure !== null || this.#isOver) return;
    const start = this.#bytes;
    this.#bytes += chunk.byteLength;
    if (this.#isBlock && this.#into !== null && this.#bytes <= this.#into.byteLength) this.#into.set(chunk, start);
    else if (this.#isBlock || this.#bytes > MAX_TEXT_BYTES) this.abort(new Error("The answer is too long."));
    else this.#text.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#isBlock && this.#bytes !== this.#into?.byteLength) this.#failure ??= new Error("The answer ended early.");
    const text = Buffer.concat(this.#text).toString("utf8");
    this.#end(this.#failure === null ? { status: this.#status, headers: this.#headers, text } : null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#failure ??= error;
    this.#end(null);
  }

  #end(reply: Reply | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#done(this.#failure, reply);
  }
}

function reasonFor({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error("Aborted.", { cause: reason });
}
