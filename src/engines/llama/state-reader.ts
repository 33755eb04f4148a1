import { badState } from "../engine-state.js";

/** Reads little-endian numbers one after the other, and never past the end. */
export class StateReader {
  readonly #view: DataView;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Bytes that are left. */
  get left(): number {
    return this.#view.byteLength - this.#offset;
  }

  /** @param what for the error: `the number of layers` */
  u32(what: string): number {
    return this.#view.getUint32(this.skip(4, what), true);
  }

  /** A 64-bit number that is to be a count of bytes, so one that a double holds. */
  u64(what: string): number {
    const value = this.#view.getBigUint64(this.skip(8, what), true);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw badState("llama.cpp", `${what} is ${value}.`);
    return Number(value);
  }

  /** `count` numbers of 32 bits. */
  u32s(count: number, what: string): number[] {
    const start = this.skip(count * 4, what);
    return Array.from({ length: count }, (_, i) => this.#view.getUint32(start + i * 4, true));
  }

  /** Steps over `bytes` bytes; where they begin. */
  skip(bytes: number, what: string): number {
    if (bytes > this.left) throw badState("llama.cpp", `the file ends before ${what}.`);
    const start = this.#offset;
    this.#offset += bytes;
    return start;
  }
}
