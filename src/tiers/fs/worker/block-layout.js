import { alignedBuffer } from "../../disk/worker/aligned-buffer.js";
import { blockChecksum } from "../../shared/worker/checksum.js";

/** Bytes of the trailer: magic (8), version (4), zero (4), block bytes (8), checksum (8); numbers are little-endian. */
export const TRAILER_BYTES = 32;
/** What offset, length and memory of direct I/O must be multiples of, on every common system. */
export const PAGE_BYTES = 4096;

const MAGIC = "KVTBLOCK";
const VERSION = 1;
const CHECKSUM_AT = 24;

/**
 * What a block's file holds: the bytes of the block, and, unless checksums are off, a trailer. With direct I/O the trailer
 * is padded with zeros to a page.
 */
export class BlockLayout {
  #blockBytes;
  #checksum;
  #page;
  #trailer;

  /** @param {number} blockBytes @param {boolean} checksum whether blocks are written with one, and verified */
  constructor(blockBytes, checksum) {
    this.#blockBytes = blockBytes;
    this.#checksum = checksum;
    this.#page = alignedBuffer(PAGE_BYTES);
    this.#trailer = this.#page.subarray(0, TRAILER_BYTES);
    this.#trailer.write(MAGIC, "latin1");
    this.#trailer.writeUInt32LE(VERSION, 8);
    this.#trailer.writeBigUInt64LE(BigInt(blockBytes), 16);
  }

  /** Whether a file of `size` bytes can be a whole block: without a trailer, with one, or with one of a page. @param {number} size */
  isWhole(size) {
    const rest = size - this.#blockBytes;
    return rest === 0 || rest === TRAILER_BYTES || rest === PAGE_BYTES;
  }

  /**
   * What is written after the block; `null` when nothing is. Valid until the next call.
   *
   * @param {string} name @param {Uint8Array} block @param {boolean} isDirect
   */
  trailerOf(name, block, isDirect) {
    if (!this.#checksum) return null;
    this.#trailer.writeBigUInt64LE(blockChecksum(name, block), CHECKSUM_AT);
    return isDirect ? this.#page : this.#trailer;
  }

  /**
   * Whether the trailer that was read vouches for the block. One that was written without passes.
   *
   * @param {string} name @param {Uint8Array} block @param {Buffer} trailer what follows the block, and anything after that
   * @param {number} size of the file
   */
  isIntact(name, block, trailer, size) {
    if (!this.#checksum || size === this.#blockBytes) return true;
    if (this.#trailer.compare(trailer, 0, CHECKSUM_AT, 0, CHECKSUM_AT) !== 0) return false;
    return trailer.readBigUInt64LE(CHECKSUM_AT) === blockChecksum(name, block);
  }
}
