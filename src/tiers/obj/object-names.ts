import { isOffloadKey, offloadKeyGroup, offloadKeyHashHex, type OffloadKey } from "../../contracts/offload-key.js";
import type { OffloadingSpec } from "../../contracts/offloading-spec.js";
import { storageNamespace } from "../../contracts/storage-namespace.js";

/** Changes whenever the names or the content of objects change, so that no version reads another's as its own. */
const FORMAT_VERSION = 1;
/** The most bytes that S3 takes as a name. */
const MAX_NAME_BYTES = 1024;
/** Below the folder of the namespace: `<two digits of the hash>/<hash>_g<group, decimal>.bin`. */
const BLOCK_NAME = /^([0-9a-f]{2})\/\1(?:[0-9a-f]{2})*_g\d+\.bin$/;

/** Names of the objects that blocks of one namespace are stored as: the same in every process. */
export class ObjectNames {
  /** The namespace's folder, `<prefix>/<model>_<digest>_r<rank>/`: all of its objects, and no others, are in it. */
  readonly folder: string;
  readonly #base: string;
  readonly #namespace: string;

  constructor(prefix: string, spec: OffloadingSpec) {
    this.#base = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
    this.#namespace = `${storageNamespace(spec, FORMAT_VERSION)}/`;
    this.folder = this.#base + this.#namespace;
  }

  /**
   * The object of block `key`.
   *
   * @throws Error when `key` is none that `makeOffloadKey` made, or too long for a name
   */
  of(key: OffloadKey): string {
    if (!isOffloadKey(key)) throw new Error("A key that makeOffloadKey did not make has no object.");
    const hash = offloadKeyHashHex(key);
    const name = `${this.folder}${hash.slice(0, 2)}/${hash}_g${offloadKeyGroup(key)}.bin`;
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw new Error("The key is too long for the name of an object.");
    return name;
  }

  /** What of a block's name its checksum covers: namespace and key. Objects may be copied to another prefix. */
  identityOf(name: string): string {
    return name.slice(this.#base.length);
  }

  /**
   * The name that a listing of the folder writes as `listed`: servers escape a prefix in ways of their own, but what
   * follows it needs no escapes.
   */
  listedAs(listed: string): string {
    const start = listed.lastIndexOf(this.#namespace);
    return start === -1 ? listed : this.#base + listed.slice(start);
  }

  /** Whether an object of this name is a block of the namespace. */
  isBlock(name: string): boolean {
    return name.startsWith(this.folder) && BLOCK_NAME.test(name.slice(this.folder.length));
  }
}
