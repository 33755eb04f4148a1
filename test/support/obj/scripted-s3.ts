import type { IncomingMessage, ServerResponse } from "node:http";
import { LoopbackServer } from "../loopback-server.js";

/** A request that has been read to the end. */
export interface S3Call {
  readonly method: string;
  /** As it came, with the query. */
  readonly url: string;
  /** Of the object, below the bucket. */
  readonly name: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

export interface S3Object {
  readonly body: Buffer;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Answers a call in place of the store; `false`: leaves it to the store. */
export type Script = (call: S3Call, response: ServerResponse) => boolean | Promise<boolean>;

/** An S3 server in memory that does not look at signatures, and does what a test scripts. Any bucket exists. */
export class ScriptedS3 {
  readonly objects = new Map<string, S3Object>();
  readonly calls: S3Call[] = [];
  script: Script = () => false;
  readonly #server = new LoopbackServer((request, response) => void this.#answer(request, response));

  static async start(): Promise<ScriptedS3> {
    const s3 = new ScriptedS3();
    await s3.#server.listen();
    return s3;
  }

  /** `127.0.0.1:port` */
  get endpoint(): string {
    return this.#server.host;
  }

  /** Calls of `method` so far, the probe at the start aside. */
  countOf(method: string): number {
    return this.calls.filter((call) => call.method === method && !call.name.endsWith("/probe")).length;
  }

  /** Open connections. */
  connections(): Promise<number> {
    return this.#server.connections();
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // The client has gone.
    }
    const { method = "", url = "", headers } = request;
    const [path = ""] = url.split("?");
    const name = decodeURIComponent(path).split("/").slice(2).join("/");
    const call = { method, url, name, headers, body: Buffer.concat(chunks) };
    this.calls.push(call);
    if (!(await this.script(call, response))) this.#serve(call, response);
  }

  #serve({ method, url, name, headers, body }: S3Call, response: ServerResponse): void {
    const query = new URL(url, "http://s3").searchParams;
    const stored = this.objects.get(name);
    if (method === "GET" && query.has("list-type")) {
      response.end(this.#list(query.get("prefix") ?? "", query.get("start-after") ?? ""));
    } else if (method === "PUT") {
      if (stored !== undefined && headers["if-none-match"] === "*") return refuse(response, 412, "PreconditionFailed");
      const metadata = Object.entries(headers).filter(([key]) => key.startsWith("x-amz-meta-")) as [string, string][];
      this.objects.set(name, { body, metadata: Object.fromEntries(metadata) });
      response.end();
    } else if (method === "DELETE") {
      this.objects.delete(name);
      response.writeHead(204).end();
    } else if (stored === undefined) {
      refuse(response, 404, "NoSuchKey");
    } else {
      response.writeHead(200, { ...stored.metadata, "content-length": stored.body.byteLength });
      response.end(method === "HEAD" ? undefined : stored.body);
    }
  }

  /** Pages are of ten names. */
  #list(prefix: string, after: string): string {
    const names = [...this.objects.keys()].filter((name) => name.startsWith(prefix) && name > after).sort();
    const keys = names.slice(0, 10).map((name) => `<Contents><Key>${name.replaceAll("&", "&amp;")}</Key></Contents>`);
    return `<?xml version="1.0"?><ListBucketResult>${keys.join("")}</ListBucketResult>`;
  }
}

/** Answers as S3 does when it refuses. */
export function refuse(response: ServerResponse, status: number, code: string): void {
  const text = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>That is ${code}.</Message></Error>`;
  response
    .writeHead(status, { "content-type": "application/xml", "content-length": Buffer.byteLength(text) })
    .end(text);
}
