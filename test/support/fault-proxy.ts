import { once } from "node:events";
import { request, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { LoopbackServer, type TlsIdentity } from "./loopback-server.js";

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
  readonly #server: LoopbackServer;

  private constructor(target: string, tls: TlsIdentity | undefined) {
    this.#target = new URL(target);
    this.#server = new LoopbackServer((incoming, response) => {
      void this.#pass(incoming, response).catch(() => response.destroy());
    }, tls);
  }

  /** @param tls speaks HTTPS to clients, and HTTP to the server all the same */
  static async start(target: string, tls?: TlsIdentity): Promise<FaultProxy> {
    const proxy = new FaultProxy(target, tls);
    await proxy.#server.listen();
    return proxy;
  }

  /** With the scheme. */
  get endpoint(): string {
    return this.#server.origin;
  }

  /** Open connections of clients. */
  connections(): Promise<number> {
    return this.#server.connections();
  }

  close(): Promise<void> {
    return this.#server.close();
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
