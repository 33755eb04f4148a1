import { types } from "node:util";
import type { BlockLocation, KvBlockView, KvSlab } from "../contracts/kv-block-view.js";
import { KvTierError } from "../errors/kv-tier-error.js";

/** The part used here of a global that the types of Node 20 leave out. */
declare const WebAssembly: {
  readonly Memory: new (options: { initial: number; maximum: number; shared: true }) => {
    readonly buffer: SharedArrayBuffer;
  };
};

/** Bytes of a page of WebAssembly memory; a multiple of the pages of every common system. */
const WASM_PAGE = 2 ** 16;

/** The most one WebAssembly memory can hold, 4 GiB. */
const MAX_SLAB_BYTES = WASM_PAGE * 2 ** 16;

/**
 * The memory of the primary pool: `numBlocks` slots of `blockBytes` bytes. Either allocated here, shared with worker
 * threads and page-aligned, or wrapped around memory that an engine binding owns. A slot never spans two slabs.
 */
export class PrimaryKvView implements KvBlockView {
  readonly numBlocks: number;
  readonly blockBytes: number;
  readonly slabs: readonly KvSlab[];
  readonly isShared: boolean;
  readonly #blocksPerSlab: number;

  private constructor(slabs: readonly KvSlab[], blocksPerSlab: number, numBlocks: number, blockBytes: number) {
    this.slabs = Object.freeze(slabs.map((slab) => Object.freeze(slab)));
    this.isShared = slabs.every(({ buffer }) => types.isSharedArrayBuffer(buffer));
    this.numBlocks = numBlocks;
    this.blockBytes = blockBytes;
    this.#blocksPerSlab = blocksPerSlab;
  }

  /**
   * Allocates zeroed shared memory for `numBlocks` blocks. Each slab starts at a page, and holds at most 4 GiB; the
   * system commits its pages when they are first touched. The memory lives as long as the view or a worker refers to it.
   *
   * @param blockBytes bytes of one block, any positive integer up to 4 GiB
   * @throws KvTierError `INVALID_STATE` when an argument is out of range or the memory cannot be had.
   */
  static allocate(numBlocks: number, blockBytes: number): PrimaryKvView {
    assertPositiveInteger("number of blocks", numBlocks);
    assertPositiveInteger("block size in bytes", blockBytes);
    if (blockBytes > MAX_SLAB_BYTES) {
      throw new KvTierError(
        "INVALID_STATE",
        `A block of ${blockBytes} bytes does not fit: one block can have at most ${MAX_SLAB_BYTES} bytes (4 GiB).`,
      );
    }
    const blocksPerSlab = Math.min(numBlocks, Math.floor(MAX_SLAB_BYTES / blockBytes));
    const slabs: KvSlab[] = [];
    for (let first = 0; first < numBlocks; first += blocksPerSlab) {
      const byteLength = Math.min(blocksPerSlab, numBlocks - first) * blockBytes;
      slabs.push({ buffer: allocateSlab(byteLength, numBlocks * blockBytes), byteOffset: 0, byteLength });
    }
    return new PrimaryKvView(slabs, blocksPerSlab, numBlocks, blockBytes);
  }

  /**
   * Takes memory of the caller's, shared or plain, as a pool of `floor(byteLength / blockBytes)` blocks. The caller keeps
   * it alive and, where slots are in use, writes to it only through the pool; a rest shorter than a block is not touched.
   *
   * @throws KvTierError `INVALID_STATE` when it is no buffer or does not hold one block.
   */
  static wrap(buffer: ArrayBufferLike | ArrayBufferView, blockBytes: number): PrimaryKvView {
    assertPositiveInteger("block size in bytes", blockBytes);
    const memory = stretchOf(buffer);
    const numBlocks = Math.floor(memory.byteLength / blockBytes);
    if (numBlocks === 0) {
      throw new KvTierError(
        "INVALID_STATE",
        `A buffer of ${memory.byteLength} bytes holds no block of ${blockBytes} bytes.`,
      );
    }
    const slab = { ...memory, byteLength: numBlocks * blockBytes };
    return new PrimaryKvView([slab], numBlocks, numBlocks, blockBytes);
  }

  block(blockId: number): Uint8Array {
    const { slab, byteOffset } = this.locate(blockId);
    return new Uint8Array(this.#slab(slab).buffer, byteOffset, this.blockBytes);
  }

  locate(blockId: number): BlockLocation {
    if (!Number.isInteger(blockId) || blockId < 0 || blockId >= this.numBlocks) {
      throw new KvTierError("INVALID_STATE", `No slot ${blockId}: the pool has slots 0 to ${this.numBlocks - 1}.`);
    }
    const slab = Math.floor(blockId / this.#blocksPerSlab);
    const inSlab = blockId - slab * this.#blocksPerSlab;
    return { slab, byteOffset: this.#slab(slab).byteOffset + inSlab * this.blockBytes };
  }

  #slab(index: number): KvSlab {
    const slab = this.slabs[index];
    if (slab === undefined) throw new KvTierError("INVALID_STATE", `No slab ${index}.`);
    return slab;
  }
}

/** The one way without an addon to page-aligned memory that worker threads share and `O_DIRECT` accepts. */
function allocateSlab(byteLength: number, totalBytes: number): ArrayBufferLike {
  const pages = Math.ceil(byteLength / WASM_PAGE);
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }).buffer;
  } catch (cause) {
    throw new KvTierError(
      "INVALID_STATE",
      `The system refused ${byteLength} bytes of shared memory for a primary pool of ${totalBytes} bytes. Make the pool ` +
        "smaller, or raise the limit on address space (ulimit -v): each 4 GiB take about 10 GiB of it.",
      { cause },
    );
  }
}

function stretchOf(buffer: unknown): KvSlab {
  if (ArrayBuffer.isView(buffer)) {
    return { buffer: buffer.buffer, byteOffset: buffer.byteOffset, byteLength: buffer.byteLength };
  }
  if (types.isAnyArrayBuffer(buffer)) return { buffer, byteOffset: 0, byteLength: buffer.byteLength };
  throw new KvTierError("INVALID_STATE", "Only an ArrayBuffer, a SharedArrayBuffer or a view of one can be wrapped.");
}

function assertPositiveInteger(what: string, value: number): void {
  if (Number.isSafeInteger(value) && value > 0) return;
  throw new KvTierError("INVALID_STATE", `The ${what} must be a positive integer; got ${String(value)}.`);
}
