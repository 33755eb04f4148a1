import type { OffloadKey } from "../../contracts/offload-key.js";
import { ABSENT, blockFault, CHECKSUM } from "../shared/worker/block-fault.js";
import { blockChecksum } from "../shared/worker/checksum.js";
import type { ObjectNames } from "./object-names.js";
import type { S3Client } from "./s3-client.js";
import { S3Error } from "./s3-error.js";

/** Metadata of an object: the checksum of its block, 16 digits of hex. */
const CHECKSUM_HEADER = "x-amz-meta-kvtier-xxh64";

export interface ObjectPage {
  /** Names of the blocks in it. */
  readonly blocks: readonly string[];
  /** The last name of any object in it; `null`: there are none, and no page follows. */
  readonly last: string | null;
}

/** Blocks as objects of a bucket, one each: the bytes and nothing else, with a checksum beside them. */
export class BlockObjects {
  readonly #client: S3Client;
  readonly #names: ObjectNames;
  readonly #blockBytes: number;
  readonly #checksum: boolean;
  /** Until a server says that it does not know how. */
  #writesOnlyNew = true;

  constructor(client: S3Client, names: ObjectNames, blockBytes: number, checksum: boolean) {
    this.#client = client;
    this.#names = names;
    this.#blockBytes = blockBytes;
    this.#checksum = checksum;
  }

  /** Whether there is an object of the right size. */
  async has(key: OffloadKey, signal: AbortSignal): Promise<boolean> {
    const { status, headers } = await this.#client.send({ method: "HEAD", name: this.#names.of(key) }, signal, [404]);
    return status === 200 && Number(headers["content-length"]) === this.#blockBytes;
  }

  /** Stores a block; `false`: the server had it already. Objects appear whole or not at all. */
  async put(key: OffloadKey, block: Uint8Array, signal: AbortSignal): Promise<boolean> {
    const name = this.#names.of(key);
    const checksum = this.#checksum ? { [CHECKSUM_HEADER]: this.#checksumOf(name, block) } : {};
    if (this.#writesOnlyNew) {
      const headers = { ...checksum, "if-none-match": "*" };
      // A server may not know the condition, which only saves a second write of the same bytes.
      const reply = await this.#client.send({ method: "PUT", name, headers, body: block }, signal, [412, 501]);
      if (reply.status !== 501) return reply.status !== 412;
      this.#writesOnlyNew = false;
    }
    await this.#client.send({ method: "PUT", name, headers: checksum, body: block }, signal);
    return true;
  }

  /** Fills `into`. Rejects with a `blockFault` when the object is not there, has another size, or other bytes. */
  async get(key: OffloadKey, into: Uint8Array, signal: AbortSignal): Promise<void> {
    const name = this.#names.of(key);
    const { status, headers, text } = await this.#client.send({ method: "GET", name, into }, signal, [404]);
    if (status === 404) throw notFound(text);
    const expected = headers[CHECKSUM_HEADER];
    if (!this.#checksum || expected === undefined) return;
    if (expected !== this.#checksumOf(name, into))
      throw blockFault(CHECKSUM, "The bytes are not those that were stored.");
  }

  /** Deletes the object of a block; that there is none is fine. */
  async remove(key: OffloadKey, signal: AbortSignal): Promise<void> {
    await this.delete(this.#names.of(key), signal);
  }

  /** Deletes the object `name`; that there is none is fine. */
  async delete(name: string, signal: AbortSignal): Promise<void> {
    await this.#client.send({ method: "DELETE", name }, signal, [404]);
  }

  /**
   * A page of what lies in the namespace's folder, in order.
   *
   * @param after the last name of the page before; `""` for the first page
   */
  async page(after: string, signal: AbortSignal): Promise<ObjectPage> {
    const query = { "list-type": "2", prefix: this.#names.folder, ...(after !== "" && { "start-after": after }) };
    const { text } = await this.#client.send({ method: "GET", name: "", query }, signal);
    const names = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, name = ""]) => this.#names.listedAs(name));
    // Some servers ignore where a page is to begin: the same one over and over would never end.
    if (after !== "" && (names[0] ?? "~") <= after) throw new Error("The server lists the same objects again.");
    return { blocks: names.filter((name) => this.#names.isBlock(name)), last: names.at(-1) ?? null };
  }

  /** Asks for an object that is not there, which shows all that there may be to complain about. */
  async probe(signal: AbortSignal): Promise<void> {
    const { status, text } = await this.#client.send(
      { method: "GET", name: `${this.#names.folder}probe` },
      signal,
      [404],
    );
    if (status !== 404) throw new S3Error(status, "NotAnObjectStore", "The answer is an object where none can be.");
    if (S3Error.of("GET", status, text).code === "NoSuchBucket") throw notFound(text);
  }

  #checksumOf(name: string, block: Uint8Array): string {
    return blockChecksum(this.#names.identityOf(name), block).toString(16).padStart(16, "0");
  }
}

/** A missing bucket is no missing block. */
function notFound(text: string): Error {
  const error = S3Error.of("GET", 404, text);
  return error.code === "NoSuchBucket" ? error : blockFault(ABSENT, "There is no such object.");
}
