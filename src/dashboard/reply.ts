import type { OutgoingHttpHeaders, ServerResponse } from "node:http";

/**
 * On every answer. Nothing but the page's own files runs or is loaded, nobody else may frame or read what is answered
 * (there are no CORS headers), and no copy stays behind.
 */
export const SECURITY_HEADERS: OutgoingHttpHeaders = Object.freeze({
  "content-security-policy":
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
});

/** Answers with `body` of the given type, unless somebody else, such as a time-out of the application, has answered. */
export function reply(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string | Buffer,
  headers: OutgoingHttpHeaders = {},
): void {
  if (response.headersSent) return;
  const content = Buffer.from(body);
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    "content-type": contentType,
    "content-length": content.length,
    ...headers,
  });
  response.end(content);
}

export function replyJson(response: ServerResponse, status: number, body: object): void {
  reply(response, status, "application/json; charset=utf-8", JSON.stringify(body));
}

export function replyText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: OutgoingHttpHeaders = {},
): void {
  reply(response, status, "text/plain; charset=utf-8", `${text}\n`, headers);
}
