import type { IncomingMessage, ServerResponse } from "node:http";
import { systemClock } from "../contracts/clock.js";
import { consoleLogger, safeLogger, type Logger } from "../contracts/logger.js";
import { reasonOf } from "../errors/factory-errors.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { isBearer, MIN_TOKEN_LENGTH } from "./bearer-token.js";
import { clearCache } from "./clear-cache.js";
import type { DashboardOptions } from "./dashboard-options.js";
import type { DashboardSource } from "./dashboard-source.js";
import { pageFiles } from "./page-files.js";
import { reply, replyJson, replyText } from "./reply.js";
import { Sampler } from "./sampler.js";
import { statsReply } from "./stats-reply.js";
import { isTrustedHost } from "./trusted-host.js";

/** Serves the page, in any server that has Node's requests and responses. */
export interface DashboardHandler {
  /**
   * Answers a request for the page, its files or its figures.
   *
   * @returns `false` when the path is none of the page's: the request is untouched, and the caller's to answer
   */
  (request: IncomingMessage, response: ServerResponse): boolean;
  /**
   * As the above, for who has found out already which file below the page's path is asked for.
   *
   * @param file its name; `""` is the page
   */
  serve(file: string, request: IncomingMessage, response: ServerResponse): boolean;
  /** Takes no more samples. Idempotent; whatever is asked later is answered with the last figures. */
  close(): void;
}

type Route = Readonly<Partial<Record<string, (request: IncomingMessage, response: ServerResponse) => void>>>;

/**
 * A page that shows what caches and their tiers do, live and over the last ten minutes. Sampling begins at once. All it
 * shows are figures and the names of caches and tiers: no key, no path, and of a config at most the address of a server that fails. Whoever reaches it may look,
 * so a server that is open to others should ask who they are before it hands requests on.
 *
 * @throws KvTierError `INVALID_STATE` without a cache, with two of one name, or with a token that is too short
 */
export function createDashboardHandler(
  sources: readonly DashboardSource[],
  options: DashboardOptions = {},
): DashboardHandler {
  assertSources(sources);
  const { allowedHosts = [], token = "" } = options;
  if (token !== "" && token.length < MIN_TOKEN_LENGTH) {
    throw new KvTierError("INVALID_STATE", `The dashboard's token must have at least ${MIN_TOKEN_LENGTH} characters.`);
  }
  const logger = safeLogger(options.logger ?? consoleLogger);
  const base = `/${options.basePath ?? ""}/`.replace(/\/+/g, "/");
  const sampler = new Sampler(sources, options.clock ?? systemClock, logger);
  const routes = new Map<string, Route>([
    ...fileRoutes(),
    ["stats.json", { GET: statsRoute(sampler, token !== "") }],
    ...(token === "" ? [] : [["clear", { POST: clearRoute(sources, token, logger) }] as const]),
  ]);

  const serve = (file: string, request: IncomingMessage, response: ServerResponse): boolean => {
    const route = routes.get(file);
    if (route === undefined) return false;
    const [path = ""] = urlOf(request).split("?");
    if (!isTrustedHost(request.headers.host, allowedHosts)) {
      replyText(response, 403, "The page is not served under this host name: it is none of those that are allowed.");
    } else if (file === "" && !path.endsWith("/")) {
      // The page's links are relative to its folder; so is this one, for whatever stands before the server.
      replyText(response, 308, "The page has a slash at its end.", {
        location: `./${path.slice(path.lastIndexOf("/") + 1)}/`,
      });
    } else {
      answer(route, request, response, logger);
    }
    return true;
  };
  const handle = (request: IncomingMessage, response: ServerResponse): boolean => {
    const [path = ""] = urlOf(request).split("?");
    const isPage = path === base || `${path}/` === base;
    if (!isPage && !path.startsWith(base)) return false;
    return serve(isPage ? "" : path.slice(base.length), request, response);
  };
  return Object.assign(handle, { serve, close: () => sampler.close() });
}

function assertSources(sources: readonly DashboardSource[]): void {
  const names = sources.map(({ name }) => name);
  if (names.length === 0) throw new KvTierError("INVALID_STATE", "The dashboard needs at least one cache to show.");
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice === undefined) return;
  throw new KvTierError("INVALID_STATE", `The dashboard cannot show two caches that are both called '${twice}'.`);
}

/** Frameworks that mount a handler below a path cut that off `url`, and keep the whole in `originalUrl`. */
function urlOf(request: IncomingMessage & { readonly originalUrl?: unknown }): string {
  return typeof request.originalUrl === "string" ? request.originalUrl : (request.url ?? "");
}

const queryOf = (request: IncomingMessage): URLSearchParams =>
  new URLSearchParams(/\?(.*)$/s.exec(urlOf(request))?.[1]);

function answer(route: Route, request: IncomingMessage, response: ServerResponse, logger: Logger): void {
  const { method = "" } = request;
  const run = route[method === "HEAD" ? "GET" : method];
  if (run === undefined) {
    const allow = "GET" in route ? "GET, HEAD" : Object.keys(route).join(", ");
    return replyText(response, 405, `Only ${allow} is answered here.`, { allow });
  }
  try {
    run(request, response);
  } catch (error) {
    // A tier or detector of the application tells what cannot be sent. A server's listener that throws ends the process.
    logger.error("The dashboard cannot answer", { error: reasonOf(error) });
    replyText(response, 500, "There is no answer; the log says why.");
  }
}

function* fileRoutes(): Generator<readonly [string, Route]> {
  for (const [name, { contentType, content }] of pageFiles()) {
    const path = name === "index.html" ? "" : name;
    yield [path, { GET: (_, response) => reply(response, 200, contentType, content) }];
  }
}

function statsRoute(sampler: Sampler, canClear: boolean) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const query = queryOf(request);
    const asked = { epoch: Number(query.get("epoch") ?? NaN), since: Number(query.get("since") ?? NaN) };
    replyJson(response, 200, statsReply(sampler, asked, canClear));
  };
}

/** Needs a header that no other site's page can send without being allowed to, so none can forge the request. */
function clearRoute(sources: readonly DashboardSource[], token: string, logger: Logger) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (!isBearer(request.headers.authorization, token)) {
      replyText(response, 401, "The token is missing or wrong.", { "www-authenticate": "Bearer" });
      return;
    }
    void clearCache(sources, queryOf(request), logger).then(({ status, body }) => replyJson(response, status, body));
  };
}
