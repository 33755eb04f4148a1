import { Buffer } from "node:buffer";
import { failureOf } from "../../disk/worker/attempt.js";
import { blockFault, CHECKSUM, TORN } from "../../shared/worker/block-fault.js";
import { EntrySums } from "./entry-sums.js";
import {
  dataOffset,
  decodeHeader,
  encodeHeader,
  ENTRY,
  ENTRY_BYTES,
  ENTRY_WORDS,
  HEADER_BYTES,
  isEntryValid,
  META,
  PAGE_BYTES,
} from "./segment-format.js";
import { moveAll } from "./vector-io.js";

/**
 * The file-system calls that a segment's life needs; `node:fs` has them all.
 *
 * @typedef {Pick<typeof import("node:fs"), "readSync" | "readvSync" | "writeSync" | "writevSync" | "fdatasyncSync" |
 *   "statSync">} SegmentFilesIo
 */

/** @typedef {import("../segment-tasks.js").SegmentRef} SegmentRef */
/** @typedef {import("./segment-format.js").NamespaceId} NamespaceId */
/** @typedef {import("../../disk/disk-io.js").IoOutcome} IoOutcome */

/** Bytes that are moved by one call: what fits a processor's cache is summed at the cache's speed. */
const CALL_BYTES = 512 * 2 ** 10;

/** Segment files that are open, by plain synchronous calls, for a thread that has nothing else to do. */
export class SegmentFiles {
  #io;
  #geometry;
  #dataOffset;
  #checksum;
  #callBlocks;
  #sums;

  /**
   * @param {{ io: SegmentFilesIo, slots: number, blockBytes: number, namespace: NamespaceId, checksum: boolean }} options
   */
  constructor({ io, slots, blockBytes, namespace, checksum }) {
    this.#io = io;
    this.#geometry = { slots, blockBytes, namespace };
    this.#sums = new EntrySums(namespace);
    this.#dataOffset = dataOffset(slots);
    this.#checksum = checksum;
    this.#callBlocks = Math.max(1, Math.floor(CALL_BYTES / blockBytes));
  }

  /**
   * Writes `blocks` to the slots from `first` on, and then their entries, so that there is no entry whose block is not
   * there. A failure leaves entries that count only if their blocks are whole.
   *
   * @param {SegmentRef} segment @param {number} first @param {readonly Uint8Array[]} blocks
   */
  store({ fd, table, epoch }, first, blocks) {
    const words = new Uint32Array(table);
    const { blockBytes } = this.#geometry;
    for (let from = 0; from < blocks.length; from += this.#callBlocks) {
      const part = blocks.slice(from, from + this.#callBlocks);
      for (const [i, block] of part.entries()) {
        this.#sums.seal(words, first + from + i, this.#checksum ? block : null, epoch);
      }
      this.#write(fd, part, part.length * blockBytes, this.#positionOf(first + from));
    }
    this.#writeEntries(fd, table, first, blocks.length);
  }

  /**
   * Fills `blocks` from the slots from `first` on. What is in a block that failed is undefined.
   *
   * @param {SegmentRef} segment @param {number} first @param {readonly Uint8Array[]} blocks
   * @param {(i: number, outcome: IoOutcome) => void} onFailed told of every block that failed
   */
  load(segment, first, blocks, onFailed) {
    for (let from = 0; from < blocks.length; from += this.#callBlocks) {
      const part = blocks.slice(from, from + this.#callBlocks);
      try {
        this.#read(segment.fd, part, first + from);
      } catch (error) {
        // One block's failure is that block's alone.
        if (part.length === 1) onFailed(from, failureOf(error));
        else
          part.forEach((block, i) => this.load(segment, first + from + i, [block], (_, it) => onFailed(from + i, it)));
        continue;
      }
      for (const [i, block] of part.entries()) {
        const fault = this.#faultOf(segment, first + from + i, block);
        if (fault !== null) onFailed(from + i, failureOf(fault));
      }
    }
  }

  /**
   * Reads the table of a segment, and blanks in memory what does not count.
   *
   * @param {number} fd @param {SharedArrayBuffer} table @param {boolean} trustUnchecked
   * @returns {import("../segment-tasks.js").Scanned}
   */
  scan(fd, table, trustUnchecked) {
    const header = Buffer.alloc(HEADER_BYTES);
    if (!this.#fill(fd, header, 0)) return { epoch: null, hasUnchecked: false };
    const epoch = decodeHeader(header, this.#geometry);
    if (epoch === null || !this.#fill(fd, Buffer.from(table), PAGE_BYTES)) return { epoch: null, hasUnchecked: false };
    const words = new Uint32Array(table);
    const untrusted = [];
    let hasUnchecked = false;
    for (let slot = 0; slot < this.#geometry.slots; slot++) {
      const start = slot * ENTRY_WORDS;
      const isUnchecked = ((words[start + ENTRY.meta] ?? 0) & META.hasSum) === 0;
      if (!isEntryValid(words, slot, epoch)) words.fill(0, start, start + ENTRY_WORDS);
      else if (!isUnchecked) continue;
      else if (trustUnchecked) hasUnchecked = true;
      else untrusted.push(slot);
    }
    if (untrusted.length > 0) this.erase(fd, table, untrusted);
    return { epoch, hasUnchecked };
  }

  /**
   * Empties a segment.
   *
   * @param {number} fd @param {number} epoch above any that the segment had @param {string} token path of a file
   * @returns {boolean} whether that file is there: looked at after the write, so that who else writes here has shown
   */
  format(fd, epoch, token) {
    const header = encodeHeader(this.#geometry, epoch);
    this.#write(fd, [header], header.byteLength, 0);
    return this.#io.statSync(token, { throwIfNoEntry: false }) !== undefined;
  }

  /** @param {number} fd @param {SharedArrayBuffer} table @param {readonly number[]} slots */
  erase(fd, table, slots) {
    const words = new Uint32Array(table);
    for (const slot of slots) words.fill(0, slot * ENTRY_WORDS, (slot + 1) * ENTRY_WORDS);
    for (const slot of slots) this.#writeEntries(fd, table, slot, 1);
  }

  /** @param {number} fd */
  sync(fd) {
    this.#io.fdatasyncSync(fd);
  }

  /** @param {number} fd @param {SharedArrayBuffer} table @param {number} first @param {number} count */
  #writeEntries(fd, table, first, count) {
    const bytes = Buffer.from(table, first * ENTRY_BYTES, count * ENTRY_BYTES);
    this.#write(fd, [bytes], bytes.byteLength, PAGE_BYTES + first * ENTRY_BYTES);
  }

  /** @param {number} fd @param {readonly Uint8Array[]} buffers @param {number} length @param {number} position */
  #write(fd, buffers, length, position) {
    moveAll((rest, at) => this.#io.writevSync(fd, rest, at), buffers, length, position);
  }

  /** @param {number} fd @param {readonly Uint8Array[]} blocks @param {number} slot */
  #read(fd, blocks, slot) {
    const length = blocks.length * this.#geometry.blockBytes;
    moveAll((rest, at) => this.#io.readvSync(fd, rest, at), blocks, length, this.#positionOf(slot));
  }

  /** @param {number} fd @param {Uint8Array} bytes @param {number} position @returns {boolean} whether there were so many */
  #fill(fd, bytes, position) {
    for (let done = 0; done < bytes.byteLength;) {
      const read = this.#io.readSync(fd, bytes, done, bytes.byteLength - done, position + done);
      if (read <= 0) return false;
      done += read;
    }
    return true;
  }

  /** @param {SegmentRef} segment @param {number} slot @param {Uint8Array} block @returns {Error | null} */
  #faultOf({ table, epoch }, slot, block) {
    const words = new Uint32Array(table);
    // Removed while it was read: nobody wants it, but its bytes are no fault.
    if (words[slot * ENTRY_WORDS + ENTRY.epoch] !== epoch) return blockFault(TORN, "The block was removed.");
    if (!this.#checksum || this.#sums.isIntact(words, slot, block, epoch)) return null;
    return blockFault(CHECKSUM, `The block in slot ${slot} of its segment is not the one that was stored there.`);
  }

  /** @param {number} slot */
  #positionOf(slot) {
    return this.#dataOffset + slot * this.#geometry.blockBytes;
  }
}
