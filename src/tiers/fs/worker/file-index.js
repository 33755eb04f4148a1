/**
 * The block files below a root, least recently used first: a map keeps the order in which its keys were set.
 */
export class FileIndex {
  /** Bytes by id. @type {Map<string, number>} */
  #files = new Map();
  #bytes = 0;

  /** Files. */
  get size() {
    return this.#files.size;
  }

  /** Sum of their sizes. */
  get bytes() {
    return this.#bytes;
  }

  /** Sets a file as the most recently used. @param {string} id @param {number} bytes */
  set(id, bytes) {
    this.delete(id);
    this.#files.set(id, bytes);
    this.#bytes += bytes;
  }

  /** The same for one that is known; `false` when it is not. @param {string} id */
  touch(id) {
    const bytes = this.#files.get(id);
    if (bytes === undefined) return false;
    this.#files.delete(id);
    this.#files.set(id, bytes);
    return true;
  }

  /** @param {string} id @returns {number | undefined} its bytes */
  get(id) {
    return this.#files.get(id);
  }

  /** @param {string} id @returns {number} bytes that it had; 0 when it was not known */
  delete(id) {
    const bytes = this.#files.get(id);
    if (bytes === undefined) return 0;
    this.#files.delete(id);
    this.#bytes -= bytes;
    return bytes;
  }

  /** Least recently used first. */
  entries() {
    return this.#files.entries();
  }
}
