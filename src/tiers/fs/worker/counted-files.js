import { FileIndex } from "./file-index.js";

/**
 * The files below a root, as they are known from the last scan and from what was told since. While a scan is under way
 * what is told goes into the old count and, when the scan is done, into the new one too.
 */
export class CountedFiles {
  #index = new FileIndex();
  /** When files were used that nobody has written down yet, in seconds of the tier's clock; oldest use first. @type {Map<string, number>} */
  #uses = new Map();
  /** What was told since the scan began: ids with their bytes, `null` = gone. @type {[string, number | null][] | null} */
  #told = null;
  #extraBytes = 0;
  /** Temporary files of others, which may be blocks in a moment: bytes by path below the root. @type {Map<string, number>} */
  #temps = new Map();
  #isCounted = false;

  /** @returns {import("../keeper-tasks.js").DiskStatus} */
  get status() {
    return { used: this.#index.bytes + this.#extraBytes, isCounted: this.#isCounted };
  }

  /** Least recently used first, with their bytes. */
  entries() {
    return this.#index.entries();
  }

  /** @param {string} id @param {number} bytes */
  set(id, bytes) {
    this.#index.set(id, bytes);
    this.#told?.push([id, bytes]);
  }

  /** @param {string} id @param {number} now @returns {boolean} whether it is known */
  use(id, now) {
    const bytes = this.#index.get(id);
    if (bytes === undefined) return false;
    this.set(id, bytes);
    this.#uses.delete(id);
    this.#uses.set(id, now);
    return true;
  }

  /** @param {string} id */
  delete(id) {
    this.#index.delete(id);
    this.#uses.delete(id);
    this.#told?.push([id, null]);
  }

  /** Takes the oldest uses, `limit` at most, which somebody is about to write down. @param {number} limit */
  takeUses(limit) {
    /** @type {[string, number][]} */
    const taken = [];
    for (const use of this.#uses) {
      if (taken.length === limit) break;
      taken.push(use);
      this.#uses.delete(use[0]);
    }
    return taken;
  }

  /** Bytes of files that are ours and no blocks, until the next scan counts them. @param {number} bytes */
  addOther(bytes) {
    this.#extraBytes += bytes;
  }

  /** Temporary files of others that the last scan found, with their bytes. */
  get temps() {
    return this.#temps.entries();
  }

  /** A temporary file is gone. @param {string} path */
  deleteTemp(path) {
    this.#extraBytes -= this.#temps.get(path) ?? 0;
    this.#temps.delete(path);
  }

  get hasUses() {
    return this.#uses.size > 0;
  }

  scanBegins() {
    this.#told = [];
  }

  /** The files that a scan found, in any order. @param {import("./scan.js").Scan} scan */
  scanEnds({ ids, sizes, mtimes, temps, tempBytes }) {
    const order = Uint32Array.from(ids.keys()).sort((a, b) => (mtimes[a] ?? 0) - (mtimes[b] ?? 0));
    const index = new FileIndex();
    for (const i of order) index.set(ids[i] ?? "", sizes[i] ?? 0);
    for (const [id, bytes] of this.#told ?? []) {
      if (bytes === null) index.delete(id);
      else index.set(id, bytes);
    }
    this.#index = index;
    this.#told = null;
    this.#temps = temps;
    this.#extraBytes = tempBytes;
    this.#isCounted = true;
  }
}
