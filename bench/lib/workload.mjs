import { PrimaryKvView } from "kvtier";
import { BlockContent } from "./block-content.mjs";
import { batchesOf, makeKeys, shuffled } from "./keys.mjs";
import { sizeName } from "./arguments.mjs";

/** @import { OffloadKey } from "kvtier" */

const MIB = 2 ** 20;
/** Blocks of one request, at most; and requests of a run, at least. */
const REQUEST_BLOCKS = 64;
const REQUESTS = 16;

/** Bytes that one run moves: enough to take tens of milliseconds, and no more blocks than a tier's queue takes by default. */
function runBytes(/** @type {number} */ blockBytes) {
  return blockBytes >= MIB ? 256 * MIB : Math.min(128 * MIB, 2048 * blockBytes);
}

/** What a run stores or loads: numbered blocks of one size, with memory that holds all of them. */
export class Workload {
  /** @param {number} blockBytes @param {number} [bytes] of a run */
  constructor(blockBytes, bytes = runBytes(blockBytes)) {
    this.blockBytes = blockBytes;
    this.sizeName = sizeName(blockBytes);
    this.blocks = Math.ceil(bytes / blockBytes);
    this.bytes = this.blocks * blockBytes;
    this.content = new BlockContent(blockBytes);
  }

  /**
   * Keys of one run, by requests.
   *
   * @param {number} run other keys for another run
   */
  requests(run) {
    const numbers = Array.from({ length: this.blocks }, (_, i) => i);
    return this.#requests(makeKeys(this.blocks, run + 1), numbers);
  }

  /** The same keys in random order. @param {number} run */
  shuffledRequests(run) {
    const numbers = shuffled(Array.from({ length: this.blocks }, (_, i) => i));
    return this.#requests(makeKeys(this.blocks, run + 1), numbers);
  }

  /** Shared memory for all blocks of a run, as the pool has it. */
  allocate() {
    return PrimaryKvView.allocate(this.blocks, this.blockBytes);
  }

  /** From the milliseconds of a run to GB/s. @param {number} ms */
  gbPerS = (ms) => this.bytes / (ms * 1e6);

  /** @param {readonly OffloadKey[]} keys @param {readonly number[]} numbers */
  #requests(keys, numbers) {
    const length = Math.max(1, Math.min(REQUEST_BLOCKS, Math.floor(this.blocks / REQUESTS)));
    return batchesOf(numbers, length).map((batch) => ({
      numbers: batch,
      keys: batch.map((number) => keys[number]).filter((key) => key !== undefined),
    }));
  }
}

/** @typedef {{ readonly numbers: readonly number[], readonly keys: readonly OffloadKey[] }} BlockRequest */
