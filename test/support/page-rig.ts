import type { IncomingMessage } from "node:http";
import { createDashboardHandler } from "../../src/dashboard/create-dashboard-handler.js";
import type { DashboardOptions } from "../../src/dashboard/dashboard-options.js";
import type { DashboardSource } from "../../src/dashboard/dashboard-source.js";
import { LoopbackServer } from "./loopback-server.js";

export interface PageRig {
  /** Of the server, without a slash at its end. */
  readonly origin: string;
  /** Idempotent. */
  readonly close: () => Promise<void>;
}

/**
 * A real server with the page in it; whatever is none of the page's it answers with `404 elsewhere`.
 *
 * @param server.prepare what a framework does to a request before it hands it on
 * @param server.port absent: any that is free
 */
export async function servePage(
  sources: readonly DashboardSource[],
  options: DashboardOptions,
  { prepare = () => {}, port = 0 }: { prepare?: (request: IncomingMessage) => void; port?: number } = {},
): Promise<PageRig> {
  const handler = createDashboardHandler(sources, options);
  const server = new LoopbackServer((request, response) => {
    prepare(request);
    if (!handler(request, response)) response.writeHead(404).end("elsewhere");
  });
  await server.listen(port);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    handler.close();
    return (closed ??= server.close());
  };
  return { origin: server.origin, close };
}
