import { Buffer } from "node:buffer";

/**
 * The blocks of the pool, for a thread: as views of the memory that it shares with the pool, never copies.
 */
export class BlockMemory {
  #buffers;
  #blockBytes;

  /** @param {import("../disk-io.js").DiskWorkerData} data */
  constructor({ buffers, blockBytes }) {
    this.#buffers = buffers;
    this.#blockBytes = blockBytes;
  }

  /**
   * @param {number | undefined} buffer index of the buffer
   * @param {number | undefined} byteOffset
   * @returns {Buffer} `blockBytes` long
   */
  blockAt(buffer, byteOffset) {
    const memory = this.#buffers[buffer ?? -1];
    if (memory === undefined || byteOffset === undefined)
      throw new RangeError(`There is no block in buffer ${buffer}.`);
    return Buffer.from(memory, byteOffset, this.#blockBytes);
  }
}
