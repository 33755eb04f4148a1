import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

/** What a server proves with who it is, in PEM. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

/** An HTTP server on loopback. */
export class LoopbackServer {
  readonly #server: Server;
  readonly #scheme: "http" | "https";

  /** @param tls without it, it speaks plain HTTP */
  constructor(listener: RequestListener, tls?: TlsIdentity) {
    this.#server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
    this.#scheme = tls === undefined ? "http" : "https";
  }

  /** @param port absent: any that is free */
  async listen(port = 0): Promise<void> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  /** `127.0.0.1:port` */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** With the scheme. */
  get origin(): string {
    return `${this.#scheme}://${this.host}`;
  }

  /** Open connections of clients. */
  connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
    });
  }

  /** Cuts what is open. */
  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
