import type { OffloadKey } from "../../contracts/offload-key.js";
import { CHECKSUM, TORN, blockFault } from "../shared/worker/block-fault.js";
import { blockChecksum } from "../shared/worker/checksum.js";

/** Bytes of the trailer: magic (8), version (4), zero (4), block bytes (8), checksum (8); numbers are little-endian. */
export const TRAILER_BYTES = 32;

const MAGIC = "KVTBLOCK";
const VERSION = 1;
const CHECKSUM_AT = 24;

/** What a key holds: the bytes of the block and, unless checksums are off, a trailer. */
export class BlockValue {
  /** Bytes of a value as this writes it. */
  readonly bytes: number;
  readonly #namespace: string;
  readonly #blockBytes: number;
  readonly #trailer: Buffer | null;

  /** @param checksum whether values are written with a trailer, and loads verify it */
  constructor(namespace: string, blockBytes: number, checksum: boolean) {
    this.#namespace = namespace;
    this.#blockBytes = blockBytes;
    this.#trailer = checksum ? Buffer.alloc(TRAILER_BYTES) : null;
    this.#trailer?.write(MAGIC, "latin1");
    this.#trailer?.writeUInt32LE(VERSION, 8);
    this.#trailer?.writeBigUInt64LE(BigInt(blockBytes), 16);
    this.bytes = blockBytes + (checksum ? TRAILER_BYTES : 0);
  }

  /** Writes the value of `block` to `value`, {@link bytes} long. The sum is of the copy: it is what is sent. */
  seal(key: OffloadKey, block: Uint8Array, value: Buffer): void {
    value.set(block);
    if (this.#trailer === null) return;
    value.set(this.#trailer, this.#blockBytes);
    const sum = blockChecksum(this.#nameOf(key), value.subarray(0, this.#blockBytes));
    value.writeBigUInt64LE(sum, this.#blockBytes + CHECKSUM_AT);
  }

  /**
   * Copies the block out of `value`, once it is known to be whole and the one of this key. One that was stored without a
   * trailer passes by its size.
   *
   * @throws a `blockFault` otherwise, with `into` untouched
   */
  open(key: OffloadKey, value: Buffer, into: Uint8Array): void {
    const size = this.#blockBytes;
    if (value.length !== size && value.length !== size + TRAILER_BYTES) {
      throw blockFault(TORN, `The stored block has ${value.length} bytes instead of ${size}.`);
    }
    const block = value.subarray(0, size);
    if (value.length > size && this.#trailer !== null && !this.#isIntact(key, block, value)) {
      throw blockFault(CHECKSUM, "The stored block does not match its checksum.");
    }
    into.set(block);
  }

  #isIntact(key: OffloadKey, block: Buffer, value: Buffer): boolean {
    const start = this.#blockBytes;
    if (this.#trailer?.compare(value, start, start + CHECKSUM_AT, 0, CHECKSUM_AT) !== 0) return false;
    return value.readBigUInt64LE(start + CHECKSUM_AT) === blockChecksum(this.#nameOf(key), block);
  }

  #nameOf(key: OffloadKey): string {
    return `${this.#namespace}:${key}`;
  }
}
