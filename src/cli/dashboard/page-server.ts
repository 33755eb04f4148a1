import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { BlockList, isIP, type AddressInfo } from "node:net";
import type { DashboardHandler } from "../../dashboard/create-dashboard-handler.js";
import { replyText } from "../../dashboard/reply.js";
import { reasonOf } from "../../errors/factory-errors.js";
import { CliError } from "../cli-error.js";
import { ExitCode } from "../exit-code.js";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** A server for the page and nothing else. */
export class PageServer {
  readonly #server: Server;
  readonly #handler: DashboardHandler;

  private constructor(server: Server, handler: DashboardHandler) {
    this.#server = server;
    this.#handler = handler;
  }

  /**
   * @param handler closed with the server
   * @throws CliError when it cannot listen there
   */
  static async listen(handler: DashboardHandler, host: string, port: number): Promise<PageServer> {
    const server = createServer((request, response) => {
      if (!handler(request, response)) replyText(response, 404, "There is nothing here; the page is at /.");
    });
    try {
      server.listen(port, host);
      await once(server, "listening");
    } catch (error) {
      handler.close();
      const hint = port === 0 ? "" : " --port 0 takes any port that is free.";
      const message = `The page cannot be served at ${host}, port ${port}: ${reasonOf(error)}.${hint}`;
      throw new CliError(ExitCode.CheckFailed, message);
    }
    return new PageServer(server, handler);
  }

  /** Where the page is, for a browser on this machine. */
  get url(): string {
    const { address, port } = this.#address;
    const isEvery = address === "0.0.0.0" || address === "::";
    const name = isEvery ? "localhost" : isIP(address) === 6 ? `[${address}]` : address;
    return `http://${name}:${port}/`;
  }

  /** Whether others than this machine may reach it. */
  get isOpenToOthers(): boolean {
    const { address } = this.#address;
    return !LOOPBACK.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  }

  /** Ends what is being answered, too. */
  async close(): Promise<void> {
    this.#handler.close();
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  get #address(): AddressInfo {
    return this.#server.address() as AddressInfo;
  }
}
