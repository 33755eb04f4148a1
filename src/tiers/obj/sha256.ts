import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";

/** SHA-256, or its HMAC when there is a key, as AWS's signer wants it: a class that it makes instances of. */
export class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = key === undefined ? createHash("sha256") : createHmac("sha256", keyOf(key));
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}

function keyOf(key: string | ArrayBuffer | ArrayBufferView): string | NodeJS.ArrayBufferView {
  return key instanceof ArrayBuffer ? new Uint8Array(key) : (key as string | NodeJS.ArrayBufferView);
}
