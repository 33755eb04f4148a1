/** Writes little-endian numbers one after the other into a buffer of zeros. */
export class StateWriter {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  #offset = 0;

  /** @param length bytes in all */
  constructor(length: number) {
    this.bytes = new Uint8Array(length);
    this.#view = new DataView(this.bytes.buffer);
  }

  u32s(values: readonly number[]): void {
    for (const value of values) this.#view.setUint32(this.skip(4), value, true);
  }

  /** A type of 32 bits, and the length of a row of 64. */
  rowHead(type: number, rowBytes: number): void {
    this.u32s([type]);
    this.#view.setBigUint64(this.skip(8), BigInt(rowBytes), true);
  }

  /** Leaves `bytes` bytes to be filled later; where they begin. */
  skip(bytes: number): number {
    const start = this.#offset;
    this.#offset += bytes;
    return start;
  }
}
