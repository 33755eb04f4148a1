import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request on a connection of its own, with any headers: `fetch` lets nobody set `Host`. Follows no redirect. */
export async function httpAsk(url: string, method = "GET", headers: OutgoingHttpHeaders = {}): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, headers, agent: false }, (response) => {
      text(response).then((body) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      }, reject);
    });
    asking.once("error", reject);
    asking.end();
  });
}
