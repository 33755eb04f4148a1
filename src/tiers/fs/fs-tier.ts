import { randomBytes } from "node:crypto";
import { totalmem } from "node:os";
import { configInvalid } from "../../config/config-invalid.js";
import { formatByteSize } from "../../config/byte-size.js";
import { Medium } from "../../contracts/medium.js";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { TierFigures } from "../../contracts/secondary-tier-manager.js";
import { SecondaryTier } from "../../decorators/secondary-tier.js";
import { reasonOf } from "../../errors/factory-errors.js";
import { KvTierError } from "../../errors/kv-tier-error.js";
import type { DiskIo } from "../disk/disk-io.js";
import { CHECKSUM, TORN } from "../shared/worker/block-fault.js";
import { errorCode } from "../disk/worker/error-code.js";
import { PoolMemory, StagingMemory, type WorkerMemory } from "../disk/worker-memory.js";
import type { BlockStoreLimits } from "../shared/block-store-limits.js";
import { BlockStoreTier } from "../shared/block-store-tier.js";
import type { BlockTransfer, TransferOutcome } from "../shared/block-transfer.js";
import { asError } from "../shared/checked-io.js";
import { FailureLog } from "../shared/failure-log.js";
import { keyOfBlockFile } from "./block-file.js";
import { wantsDirectIo } from "./direct-io-mode.js";
import { FsTierConfig } from "./fs-tier-config.js";
import { fsNamespace } from "./namespace.js";
import { rootDirsOf } from "./root-dirs.js";
import { ShardedFiles } from "./sharded-files.js";
import { PAGE_BYTES, TRAILER_BYTES } from "./worker/block-layout.js";

/** Bytes of one batch: enough to make the way to a thread and back cheap, and few enough to let a load in soon. */
const BATCH_BYTES = 8 * 2 ** 20;
const MAX_BATCH_BLOCKS = 64;

/**
 * Blocks as files, one each, below `root_dir`: `<model>_<digest>_r<rank>/<two hex digits>/<hash>_g<group>.bin`. Any
 * number of processes may share the folder. A file has its name only once it is whole.
 *
 * Worker threads move the bytes between the files and the pool, with no copy when the pool is shared memory. Look-ups
 * have a thread that stores never use, and loads too when stores hold all the others. With `max_bytes`, one process of
 * those on a folder evicts what was used least recently.
 */
@SecondaryTier("fs", { config: FsTierConfig, medium: Medium.Storage })
export class FsTier extends BlockStoreTier<FsTierConfig> {
  #files: ShardedFiles | null = null;
  #faults: FailureLog | null = null;
  #checksumFailures = 0;
  /** One word for all threads, see `DirectIo`; `null` = direct I/O is not tried, or its refusal was told of. */
  #direct: SharedArrayBuffer | null = null;

  override async initialize(): Promise<void> {
    const { config, offloadingSpec, primaryKvView: view } = this.context;
    const roots = rootDirsOf(config.rootDir, config.pathSharding !== undefined);
    const isDirect = this.#isDirect();
    this.#direct = isDirect ? new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT) : null;
    const fileBytes = this.blockBytes + (config.checksum ? (isDirect ? PAGE_BYTES : TRAILER_BYTES) : 0);
    const limits = this.#spaceLimits(roots.length, fileBytes);
    const { batchBlocks, concurrency } = this.limits;
    const memory = (): WorkerMemory =>
      view.isShared ? new PoolMemory(view) : new StagingMemory(this.blockBytes, batchBlocks, concurrency);
    this.#files = await ShardedFiles.open(
      roots.map((rootDir) => ({
        io: this.io,
        rootDir,
        namespace: fsNamespace(offloadingSpec.model, this.blockBytes),
        // Processes on other machines may have this one's id, and share the folder.
        writerId: `${process.pid}-${randomBytes(6).toString("hex")}`,
        blockBytes: this.blockBytes,
        checksum: config.checksum,
        direct: this.#direct,
        memory: memory(),
        maxThreads: config.nReadThreads + config.nWriteThreads,
        fileBytes,
        limits,
        deadlineS: config.deadlineS,
        tempMaxAgeS: config.tempMaxAgeS,
        context: this.context,
        onGone: (files) => this.markRemoved(files.map(keyOfBlockFile).filter((key) => key !== null)),
        onFault: (message, error) => this.#failed(message, error),
      })),
    );
  }

  /** The module with the file-system calls, by URL, and what steers it. Tests override this to make calls fail. */
  protected get io(): DiskIo {
    return { ioModule: "node:fs" };
  }

  protected override get limits(): BlockStoreLimits {
    const { rootDir, pathSharding, nReadThreads, nWriteThreads, maxQueuedBlocks, deadlineS } = this.context.config;
    const roots = rootDirsOf(rootDir, pathSharding !== undefined).length;
    return {
      // One batch runs and one waits for each thread, so that a thread never waits for the event loop.
      concurrency: 2 * (nReadThreads + nWriteThreads) * roots,
      batchBlocks: Math.max(1, Math.min(MAX_BATCH_BLOCKS, Math.floor(BATCH_BYTES / this.blockBytes))),
      maxQueuedBlocks,
      deadlineS,
    };
  }

  protected override exists(keys: readonly OffloadKey[]): Promise<boolean[]> {
    return this.#open.has(keys);
  }

  protected override writeBatch(
    batch: readonly BlockTransfer[],
    signal: AbortSignal,
  ): Promise<readonly TransferOutcome[]> {
    return this.#move("store", batch, signal);
  }

  protected override readBatch(
    batch: readonly BlockTransfer[],
    signal: AbortSignal,
  ): Promise<readonly TransferOutcome[]> {
    return this.#move("load", batch, signal);
  }

  protected override async write(key: OffloadKey, block: Uint8Array, signal: AbortSignal): Promise<void> {
    throwFailures(await this.#move("store", [{ key, block }], signal));
  }

  protected override async read(key: OffloadKey, into: Uint8Array, signal: AbortSignal): Promise<void> {
    throwFailures(await this.#move("load", [{ key, block: into }], signal));
  }

  /** For the order in which blocks are evicted. */
  override touch(keys: readonly OffloadKey[]): void {
    if (this.context.config.maxBytes !== undefined) this.#files?.touch(keys);
  }

  /** Removes the files of this namespace and rank: blocks, and what killed processes left. Other files stay. */
  override async clear(): Promise<void> {
    try {
      await this.#open.clear();
    } finally {
      this.forgetLookups();
    }
  }

  /** Removes the files of these blocks; a key that can have none is no fault. */
  override async remove(keys: readonly OffloadKey[]): Promise<void> {
    try {
      await this.#open.remove(keys);
    } finally {
      this.markMiss(keys);
    }
  }

  /** Those of every tier, and `checksumFailures`; with `max_bytes` also `used` (bytes) and `evictions` (files). */
  override getStats(): TierFigures {
    return { ...super.getStats(), checksumFailures: this.#checksumFailures, ...this.#files?.figures };
  }

  override async shutdown(): Promise<void> {
    await super.shutdown();
    const files = this.#files;
    this.#files = null;
    await files?.close();
  }

  async #move(
    op: "store" | "load",
    batch: readonly Pick<BlockTransfer, "key" | "block">[],
    signal: AbortSignal,
  ): Promise<readonly TransferOutcome[]> {
    const outcomes = await this.#open[op](batch, signal);
    this.#reportRefusedDirectIo();
    return outcomes.map((outcome, i) => this.#outcomeOf(batch[i]?.key, outcome));
  }

  #outcomeOf(key: OffloadKey | undefined, outcome: TransferOutcome): TransferOutcome {
    // A file has more bytes than the block that was moved.
    if (typeof outcome === "number") return Math.min(outcome, this.blockBytes);
    const code = errorCode(outcome);
    if (code !== CHECKSUM && code !== TORN) return outcome;
    if (code === CHECKSUM) this.#checksumFailures++;
    this.#failed("A stored block was damaged", outcome);
    if (key !== undefined) this.markRemoved([key]);
    return outcome;
  }

  #reportRefusedDirectIo(): void {
    if (this.#direct === null || Atomics.load(new Int32Array(this.#direct), 0) === 0) return;
    this.#direct = null;
    this.context.logger.warn("Direct I/O was refused: blocks go through the page cache", { tier: this.tierType });
  }

  #isDirect(): boolean {
    const { directIo: mode, maxBytes } = this.context.config;
    const { blockBytes } = this;
    if (mode === "on" && blockBytes % PAGE_BYTES !== 0) {
      const message = `direct_io does nothing: blocks of ${blockBytes} bytes are no multiple of ${PAGE_BYTES}`;
      this.context.logger.warn(message, { tier: this.tierType });
    }
    const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity);
    return wantsDirectIo({ mode, blockBytes, maxBytes, memoryBytes });
  }

  /** Of each root: blocks are spread evenly. */
  #spaceLimits(roots: number, fileBytes: number): { maxBytes: number; lowWater: number } | null {
    const { maxBytes, lowWater } = this.context.config;
    if (maxBytes === undefined) return null;
    const ofEach = Math.floor(maxBytes / roots);
    if (ofEach >= fileBytes) return { maxBytes: ofEach, lowWater };
    const message = `must have room for a block in each root_dir, ${formatByteSize(fileBytes * roots)}; got ${maxBytes}`;
    throw configInvalid([{ path: "max_bytes", message }]);
  }

  get #open(): ShardedFiles {
    if (this.#files === null)
      throw new KvTierError("INVALID_STATE", "The fs tier is not initialized, or is shut down.");
    return this.#files;
  }

  #failed(message: string, error: unknown): void {
    const code = errorCode(error);
    this.#faults ??= new FailureLog(this.context.logger, this.context.clock);
    const fields = { tier: this.tierType, error: reasonOf(asError(error)) };
    this.#faults.failed(message, fields, typeof code === "string" ? code : "");
  }
}

function throwFailures(outcomes: readonly TransferOutcome[]): void {
  for (const outcome of outcomes) if (typeof outcome !== "number") throw outcome;
}
