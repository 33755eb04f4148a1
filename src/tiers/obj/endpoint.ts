import type { ObjStoreConfig } from "./store-config.js";

/** Where requests go, and how they name an object. */
export interface S3Endpoint {
  /** `https://host:port` */
  readonly origin: string;
  /** As the header `host` has it. */
  readonly host: string;
  /** The bucket's part of a path: `/bucket`, or nothing when it is in the host's name. */
  readonly basePath: string;
}

/** The endpoint of a bucket, by path or by host name. */
export function s3Endpoint(config: ObjStoreConfig): S3Endpoint {
  const url = endpointUrl(config.endpointOverride, config.scheme);
  if (url === null) throw new Error("endpoint_override is no endpoint.");
  if (config.useVirtualAddressing) {
    const host = `${config.bucket}.${url.host}`;
    return { origin: `${url.protocol}//${host}`, host, basePath: "" };
  }
  return { origin: url.origin, host: url.host, basePath: `/${config.bucket}` };
}

/** The URL that `endpoint` stands for; `null` when it is none, holds more than scheme, host and port, or is no `scheme`. */
export function endpointUrl(endpoint: string, scheme: unknown): URL | null {
  const text = endpoint.includes("://") ? endpoint : `${typeof scheme === "string" ? scheme : "http"}://${endpoint}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== "/") return null;
  if (`${url.username}${url.password}${url.search}${url.hash}` !== "" || /[?#@]/.test(endpoint)) return null;
  return typeof scheme === "string" && url.protocol !== `${scheme}:` ? null : url;
}

/** The path of the object `name` as it is sent and signed: all but unreserved characters and slashes in percent. */
export function objectPath({ basePath }: S3Endpoint, name: string): string {
  if (name === "") return basePath === "" ? "/" : basePath;
  return `${basePath}/${name.split("/").map(encodePart).join("/")}`;
}

/** A name or value of a query, likewise. */
export function encodePart(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
