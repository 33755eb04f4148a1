import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** What the proxy does to requests; none: it hands everything on. */
export interface ProxyFault {
  /** Milliseconds before each answer. */
  readonly delayMs?: number;
  /** Bytes of each answer's body after which the connection is cut. */
  readonly truncateAt?: number;
  /** Answers in place of the server, as S3 does. */
  readonly refuse?: { readonly status: number; readonly code: string };
}

/** An HTTP proxy in front of a server, which it makes slower or worse. Headers pass as they are, signatures hold. */
export class FaultProxy {
  fault: ProxyFault = {};
  readonly #target: URL;
  readonly #server = createServer(
    (incoming, response) => void this.#pass(incoming, response).catch(() => response.destroy()),
  );

  private constructor(target: string) {
    this.#target = new URL(target);
  }

  static async start(target: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  /** `http://127.0.0.1:port` */
  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Open connections of clients. */
  connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
    });
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { delayMs = 0, truncateAt = Infinity, refuse } = this.fault;
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    if (delayMs > 0) await pause(delayMs, undefined, { ref: false });
    if (refuse !== undefined) {
      const text = `<Error><Code>${refuse.code}</Code><Message>The proxy says so.</Message></Error>`;
      response.writeHead(refuse.status, { "content-length": text.length });
      response.end(incoming.method === "HEAD" ? undefined : text);
      return;
    }
    const answer = await this.#ask(incoming, Buffer.concat(chunks));
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    let left = truncateAt;
    for await (const chunk of answer) {
      const bytes = chunk as Buffer;
      response.write(bytes.subarray(0, Math.max(0, left)));
      left -= bytes.byteLength;
      if (left >= 0) continue;
      // What was written is to arrive, and nothing after it.
      response.socket?.end();
      return;
    }
    response.end();
  }

  async #ask(incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const { hostname, port } = this.#target;
    const { method, url } = incoming;
    const headers = { ...incoming.headers, connection: "close" };
    const outgoing = request({ hostname, port, method, path: url, headers });
    outgoing.end(body);
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    return answer;
  }
}
