/**
 * Whether a root is where it was. A disk that goes leaves an empty folder behind, or none: what is not found then is not gone.
 */
export class RootPlace {
  #io;
  #root;
  #blocks;
  #device;

  /**
   * @param {Pick<typeof import("node:fs"), "statSync">} io
   * @param {() => string} root real path of it
   * @param {string} blocks folder of the tier's own blocks, by name below the root
   * @param {number | null} device that the root was on before; `null`: it is wherever it is first looked at
   */
  constructor(io, root, blocks, device = null) {
    this.#io = io;
    this.#root = root;
    this.#blocks = blocks;
    this.#device = device;
  }

  /** Throws when the root is not there, or another device is in its place that this tier has never been on. */
  assertThere() {
    const root = this.#root();
    const { dev } = this.#io.statSync(root);
    if (dev === this.#device) return;
    // Mounted again, a disk may have another number: its folders tell that it is the same.
    if (this.#device !== null) this.#io.statSync(`${root}/${this.#blocks}`);
    this.#device = dev;
  }
}
