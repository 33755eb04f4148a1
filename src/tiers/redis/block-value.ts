import type { OffloadKey } from "../../contracts/offload-key.js";
import { CHECKSUM, TORN, blockFault } from "../shared/worker/block-fault.js";
import { blockChecksum } from "../shared/worker/checksum.js";

/** Bytes of the trailer: magic (8), version (4), zero (4), block bytes (8), checksum (8); numbers are little-endian. */
export const TRAILER_BYTES = 32;

const MAGIC = "KVTBLOCK";
const VERSION = 1;
const CHECKSUM_AT = 24;

/** What a key holds: the bytes of the block and, unless checksums are off, a trailer. Neither is copied. */
export class BlockValue {
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
  }

  /** The pieces of the value of `block`: its bytes as they are now, which must stay so until they are sent, and the trailer. */
  seal(key: OffloadKey, block: Uint8Array): readonly Uint8Array[] {
    if (this.#trailer === null) return [block];
    const trailer = Buffer.from(this.#trailer);
    trailer.writeBigUInt64LE(blockChecksum(this.#nameOf(key), block), CHECKSUM_AT);
    return [block, trailer];
  }

  /**
   * Where a value of `length` bytes goes, in pieces: to `block`, and what is behind it to `trailer`; `null` when no block has
   * that many.
   */
  placeFor(length: number, block: Uint8Array, trailer: Buffer): readonly Uint8Array[] | null {
    if (length === this.#blockBytes) return [block];
    return length === this.#blockBytes + TRAILER_BYTES ? [block, trailer] : null;
  }

  /**
   * Makes sure that a value of `length` bytes, which is where {@link placeFor} has put it, is whole and the one of this key.
   * One that was stored without a trailer passes by its size.
   *
   * @throws a `blockFault` otherwise
   */
  verify(key: OffloadKey, length: number, block: Uint8Array, trailer: Buffer): void {
    const size = this.#blockBytes;
    if (length !== size && length !== size + TRAILER_BYTES) {
      throw blockFault(TORN, `The stored block has ${length} bytes instead of ${size}.`);
    }
    if (length > size && this.#trailer !== null && !this.#isIntact(key, block, trailer)) {
      throw blockFault(CHECKSUM, "The stored block does not match its checksum.");
    }
  }

  #isIntact(key: OffloadKey, block: Uint8Array, trailer: Buffer): boolean {
    if (this.#trailer?.compare(trailer, 0, CHECKSUM_AT, 0, CHECKSUM_AT) !== 0) return false;
    return trailer.readBigUInt64LE(CHECKSUM_AT) === blockChecksum(this.#nameOf(key), block);
  }

  #nameOf(key: OffloadKey): string {
    return `${this.#namespace}:${key}`;
  }
}
