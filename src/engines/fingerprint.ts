import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { KvTierError } from "../errors/kv-tier-error.js";

/** SHA-256 over all that makes the blocks of an engine what they are, lower-case hex. Arrays keep their order. */
export function engineFingerprint(engine: string, model: string, fields: readonly unknown[]): string {
  if (typeof model !== "string" || model === "") {
    throw new KvTierError(
      "INVALID_STATE",
      `The ${engine} engine needs 'model', a text that changes whenever the weights do, such as modelFingerprint(path).`,
    );
  }
  return createHash("sha256")
    .update(JSON.stringify([engine, model, ...fields]))
    .digest("hex");
}

/**
 * SHA-256 of the bytes of a model's file, or of its files in this order, lower-case hex: a name for its weights that no
 * other weights have. Reads them whole, once, in the background; some seconds for a large model.
 *
 * @throws the error of the file system when a file cannot be read
 */
export async function modelFingerprint(...paths: readonly string[]): Promise<string> {
  const digests: string[] = [];
  for (const path of paths) {
    const hash = createHash("sha256");
    await pipeline(createReadStream(path), hash);
    digests.push(hash.digest("hex"));
  }
  return digests.length === 1 ? (digests[0] ?? "") : createHash("sha256").update(digests.join()).digest("hex");
}
