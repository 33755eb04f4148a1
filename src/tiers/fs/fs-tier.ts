import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { Medium } from "../../contracts/medium.js";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { TierFigures } from "../../contracts/secondary-tier-manager.js";
import { SecondaryTier } from "../../decorators/secondary-tier.js";
import { reasonOf } from "../../errors/factory-errors.js";
import { KvTierError } from "../../errors/kv-tier-error.js";
import type { BlockStoreLimits } from "../shared/block-store-limits.js";
import { BlockStoreTier } from "../shared/block-store-tier.js";
import type { BlockTransfer, TransferOutcome } from "../shared/block-transfer.js";
import { BlockMover, type MoveOp } from "../disk/block-mover.js";
import type { DiskIo } from "../disk/disk-io.js";
import { DiskWorkers } from "../disk/disk-workers.js";
import { errorCode } from "../disk/worker/error-code.js";
import { PoolMemory, StagingMemory, type PlacedBatch } from "../disk/worker-memory.js";
import { blockFileOf, isSubFolderName } from "./block-file.js";
import type { FileReplies, FileTask, FileWorkerData, FileWorkers, TransferTask } from "./file-tasks.js";
import { FsTierConfig } from "./fs-tier-config.js";
import { fsNamespace } from "./namespace.js";
import { CHECKSUM } from "../disk/worker/block-fault.js";
import { openNamespace } from "../disk/open-namespace.js";

const WORKER_ENTRY = new URL("./worker/entry.cjs", import.meta.url);

/** Movers that are started at once; more, as far as the options allow, when there is work for them. */
const FIRST_MOVERS = 2;
/** One for look-ups; the other starts when a load has to go past stores that hold every mover. */
const EXPRESS_THREADS = 2;
/** Bytes of one batch: enough to make the way to a thread and back cheap, and few enough to let a load in soon. */
const BATCH_BYTES = 8 * 2 ** 20;
const MAX_BATCH_BLOCKS = 64;

/** What there is between `initialize` and `shutdown`. */
interface Opened {
  readonly folder: string;
  /** Threads for stores and loads. */
  readonly movers: FileWorkers;
  /** Threads for what must not wait for a store. */
  readonly express: FileWorkers;
  readonly mover: BlockMover<TransferTask>;
}

/**
 * Blocks as files, one each, below `root_dir`: `<model>_<digest>_r<rank>/<two hex digits>/<hash>_g<group>.bin`. Any
 * number of processes may share the folder. A file has its name only once it is whole.
 *
 * Worker threads move the bytes between the files and the pool, with no copy when the pool is shared memory. Look-ups
 * have a thread that stores never use, and loads too when stores hold all the others.
 */
@SecondaryTier("fs", { config: FsTierConfig, medium: Medium.Storage })
export class FsTier extends BlockStoreTier<FsTierConfig> {
  #opened: Opened | null = null;
  #checksumFailures = 0;

  override async initialize(): Promise<void> {
    const { config, offloadingSpec, primaryKvView: view } = this.context;
    const { batchBlocks, concurrency } = this.limits;
    const folder = await openNamespace(config.rootDir, fsNamespace(offloadingSpec.model, this.blockBytes));
    const memory = view.isShared ? new PoolMemory(view) : new StagingMemory(this.blockBytes, batchBlocks, concurrency);
    const workerData: FileWorkerData = {
      ...this.io,
      folder,
      blockBytes: this.blockBytes,
      // Processes on other machines may have this one's id, and share the folder.
      writerId: `${process.pid}-${randomBytes(6).toString("hex")}`,
      buffers: memory.buffers,
      checksum: config.checksum,
    };
    const start = (minThreads: number, maxThreads: number): Promise<FileWorkers> =>
      DiskWorkers.start<FileTask, FileReplies>({
        entry: WORKER_ENTRY,
        minThreads,
        maxThreads,
        workerData,
        onError: (error) => this.#workerFailed(error),
      });
    const movers = await start(Math.min(FIRST_MOVERS, this.#threads), this.#threads);
    const express = await start(1, EXPRESS_THREADS);
    const mover = new BlockMover<TransferTask>({ movers, express, memory, blockBytes: this.blockBytes });
    this.#opened = { folder, movers, express, mover };
  }

  /** The module with the file-system calls, by URL, and what steers it. Tests override this to make calls fail. */
  protected get io(): DiskIo {
    return { ioModule: "node:fs" };
  }

  protected override get limits(): BlockStoreLimits {
    const { maxQueuedBlocks, deadlineS } = this.context.config;
    return {
      // One batch runs and one waits for each thread, so that a thread never waits for the event loop.
      concurrency: 2 * this.#threads,
      batchBlocks: Math.max(1, Math.min(MAX_BATCH_BLOCKS, Math.floor(BATCH_BYTES / this.blockBytes))),
      maxQueuedBlocks,
      deadlineS,
    };
  }

  protected override async exists(keys: readonly OffloadKey[]): Promise<boolean[]> {
    return this.#open.express.run({ op: "has", files: keys.map(blockFileOf) });
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

  /** Removes the files of this namespace and rank: blocks, and what killed processes left. Other files stay. */
  override async clear(): Promise<void> {
    const { folder, movers } = this.#open;
    const subFolders = (await readdir(folder)).filter(isSubFolderName);
    const failures: string[] = [];
    for (const subFolder of subFolders) {
      const outcome = await movers.run({ op: "clear", subFolder });
      if (typeof outcome !== "number") failures.push(outcome.message);
    }
    this.forgetLookups();
    if (failures.length > 0) throw new Error(`Not everything in ${folder} could be removed: ${failures.join("; ")}`);
  }

  /** Removes the files of these blocks; a key that can have none is no fault. */
  override async remove(keys: readonly OffloadKey[]): Promise<void> {
    const files = keys.map(blockFileOf).filter((file) => file !== null);
    const outcomes = await this.#open.movers.run({ op: "remove", files });
    this.markMiss(keys);
    const failed = outcomes.find((outcome) => typeof outcome !== "number");
    if (failed !== undefined) throw new Error(`Not every block could be removed: ${failed.message}`);
  }

  override getStats(): TierFigures {
    return { ...super.getStats(), checksumFailures: this.#checksumFailures };
  }

  override async shutdown(): Promise<void> {
    await super.shutdown();
    const opened = this.#opened;
    this.#opened = null;
    if (opened !== null) await this.#closeThreads(opened);
  }

  async #move(
    op: MoveOp,
    batch: readonly Pick<BlockTransfer, "key" | "block">[],
    signal: AbortSignal,
  ): Promise<readonly TransferOutcome[]> {
    const files = batch.map(({ key }) => blockFileOf(key));
    const blocks = batch.map(({ block }) => block);
    const taskOf = ({ buffers, offsets }: PlacedBatch, from: number, to: number): TransferTask => ({
      op,
      files: files.slice(from, to),
      buffers: buffers.slice(from, to),
      offsets: offsets.slice(from, to),
    });
    return (await this.#open.mover.move({ op, blocks, taskOf }, signal)).map((outcome) => this.#outcomeOf(outcome));
  }

  #outcomeOf(outcome: TransferOutcome): TransferOutcome {
    // A file has more bytes than the block that was moved.
    if (typeof outcome === "number") return Math.min(outcome, this.blockBytes);
    if (errorCode(outcome) === CHECKSUM) this.#checksumFailed(outcome);
    return outcome;
  }

  #checksumFailed({ message }: Error): void {
    this.#checksumFailures++;
    this.context.logger.warn("A stored block was damaged", { tier: this.tierType, error: message });
  }

  get #threads(): number {
    const { nReadThreads, nWriteThreads } = this.context.config;
    return nReadThreads + nWriteThreads;
  }

  get #open(): Opened {
    if (this.#opened === null)
      throw new KvTierError("INVALID_STATE", "The fs tier is not initialized, or is shut down.");
    return this.#opened;
  }

  #workerFailed(error: unknown): void {
    this.context.logger.error("A file worker failed", { tier: this.tierType, error: reasonOf(error) });
  }

  /** A thread that hangs in a call ends only with the call: it is waited for as long as a job would be, no longer. */
  async #closeThreads({ movers, express }: Opened): Promise<void> {
    const closed = Promise.all([movers.close(), express.close()]);
    let cancelTimer = (): void => {};
    const overdue = new Promise<void>((resolve) => {
      cancelTimer = this.context.clock.after(this.context.config.deadlineS, resolve);
    });
    await Promise.race([closed, overdue]);
    cancelTimer();
  }
}

function throwFailures(outcomes: readonly TransferOutcome[]): void {
  for (const outcome of outcomes) if (typeof outcome !== "number") throw outcome;
}
