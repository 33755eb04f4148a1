import type { OffloadKey } from "../../contracts/offload-key.js";
import { storageNamespace, type StorageIdentity } from "../../contracts/storage-namespace.js";

/** Changes whenever keys or values change, so that no version reads another's as its own. */
const FORMAT_VERSION = 1;

/** Names of keys on the server: `<prefix><namespace>:<offload key>`. */
export class BlockKeys {
  /** Of one model, element type, layout, block size and rank; see `storageNamespace`. Has no glob or hash-tag character. */
  readonly namespace: string;
  readonly #start: string;

  constructor(prefix: string, identity: StorageIdentity) {
    this.namespace = storageNamespace(identity, FORMAT_VERSION);
    this.#start = `${prefix}${this.namespace}:`;
  }

  /** For `SCAN`: exactly the keys of this prefix and namespace. */
  get pattern(): string {
    return `${this.#start.replace(/[\\*?[\]^-]/g, "\\$&")}*`;
  }

  /** No block has it: what the tier tries its permissions on. */
  get probe(): string {
    return `${this.#start}probe`;
  }

  of(key: OffloadKey): string {
    return this.#start + key;
  }
}
