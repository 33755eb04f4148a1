/**
 * Memory for the values of stores that are under way. A value stays a command's until the client has let go of it, also
 * when the store was given up: so what is in memory is bounded, whatever the server does.
 */
export class ValueBuffers {
  readonly #bytes: number;
  readonly #max: number;
  readonly #free: Buffer[] = [];
  #made = 0;

  /** @param bytes of each @param max how many there may be */
  constructor(bytes: number, max: number) {
    this.#bytes = bytes;
    this.#max = max;
  }

  /** @throws Error when all are in use */
  take(): Buffer {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#made === this.#max) throw new Error(`All ${this.#max} blocks that may be under way are.`);
    this.#made++;
    // Not from Node's own pool, where it would keep others' memory.
    return Buffer.allocUnsafeSlow(this.#bytes);
  }

  giveBack(buffer: Buffer): void {
    this.#free.push(buffer);
  }
}
