import { LookupResult } from "../../contracts/lookup-result.js";
import { Medium } from "../../contracts/medium.js";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { RequestContext } from "../../contracts/request-context.js";
import type { TierFigures } from "../../contracts/secondary-tier-manager.js";
import { SecondaryTier } from "../../decorators/secondary-tier.js";
import { BlockMover } from "../disk/block-mover.js";
import type { DiskIo } from "../disk/disk-io.js";
import { diskLimits } from "../disk/disk-limits.js";
import { DiskThreads } from "../disk/disk-threads.js";
import { PoolMemory, StagingMemory } from "../disk/worker-memory.js";
import type { BlockStoreLimits } from "../shared/block-store-limits.js";
import { BlockStoreTier } from "../shared/block-store-tier.js";
import type { BlockTransfer, TransferOutcome } from "../shared/block-transfer.js";
import { FailureLog } from "../shared/failure-log.js";
import { LogHolder, notOpen } from "./log-holder.js";
import { logNamespace } from "./log-namespace.js";
import { LogTierConfig } from "./log-tier-config.js";
import { MoverWorkers } from "./mover-workers.js";
import type { OpenLog } from "./open-log.js";
import { planSegments } from "./plan-segments.js";
import type { MoveTask, SegmentReplies, SegmentTask, SegmentWorkerData } from "./segment-tasks.js";

const WORKER_ENTRY = new URL("./worker/segment-worker.js", import.meta.url);

type SegmentThreads = DiskThreads<SegmentTask, SegmentReplies>;

/**
 * Blocks in segment files below `root_dir`, appended one after the other: `<model>_<digest>_r<rank>_log/<name>.seg`. One
 * process at a time owns the folder. When the segments are full, the oldest is emptied and used again, whatever was asked
 * for last: `touch` does nothing here.
 *
 * Worker threads move the bytes between the segments and the pool, with no copy when the pool is shared memory. Which
 * block is where is known in memory, so a look-up is answered at once.
 */
@SecondaryTier("log", { config: LogTierConfig, medium: Medium.Storage })
export class LogTier extends BlockStoreTier<LogTierConfig> {
  #threads: SegmentThreads | null = null;
  #holder: LogHolder | null = null;
  #checksumFailures = 0;
  readonly #faults = new FailureLog(this.context.logger, this.context.clock);

  override async initialize(): Promise<void> {
    const { config, offloadingSpec, primaryKvView: view, enableKvEvents } = this.context;
    const plan = planSegments(config, this.blockBytes);
    const namespace = logNamespace(offloadingSpec.model, this.blockBytes);
    const { batchBlocks, concurrency } = this.limits;
    const memory = view.isShared ? new PoolMemory(view) : new StagingMemory(this.blockBytes, batchBlocks, concurrency);
    const workerData: SegmentWorkerData = {
      ...this.io,
      blockBytes: this.blockBytes,
      buffers: memory.buffers,
      slots: plan.slots,
      namespace: namespace.id,
      checksum: config.checksum,
    };
    const threads: SegmentThreads = DiskThreads.start({
      entry: WORKER_ENTRY,
      movers: config.nReadThreads + config.nWriteThreads,
      workerData,
      context: this.context,
    });
    this.#threads = threads;
    const mover = new BlockMover<MoveTask>({
      movers: new MoverWorkers(threads.movers, this.blockBytes),
      express: new MoverWorkers(threads.express, this.blockBytes),
      memory,
      blockBytes: this.blockBytes,
    });
    this.#holder = new LogHolder({
      context: this.context,
      namespace,
      blockBytes: this.blockBytes,
      plan,
      mover,
      express: threads.express,
      onRemoved: enableKvEvents === true ? (keys) => this.markRemoved(keys) : null,
      onChecksumFailed: (error) => this.#checksumFailed(error),
    });
    await this.#holder.open();
    // The app goes on first: until it has something to move, it has no use for these threads.
    setImmediate(() => threads.startMovers());
  }

  /** The module with the file-system calls, by URL, and what steers it. Tests override this to make calls fail. */
  protected get io(): DiskIo {
    return { ioModule: "node:fs" };
  }

  protected override get limits(): BlockStoreLimits {
    return diskLimits(this.context.config, this.blockBytes);
  }

  /** At once, from memory. */
  override lookup(key: OffloadKey, _ctx: RequestContext): LookupResult {
    return this.isServing && this.#holder?.log?.catalog.has(key) === true ? LookupResult.Hit : LookupResult.Miss;
  }

  protected override async exists(keys: readonly OffloadKey[]): Promise<boolean[]> {
    return keys.map((key) => this.#holder?.log?.catalog.has(key) ?? false);
  }

  protected override async writeBatch(
    batch: readonly BlockTransfer[],
    signal: AbortSignal,
  ): Promise<readonly TransferOutcome[]> {
    return (await this.#owned()).store.store(batch, signal);
  }

  protected override async readBatch(
    batch: readonly BlockTransfer[],
    signal: AbortSignal,
  ): Promise<readonly TransferOutcome[]> {
    return (await this.#owned()).store.load(batch, signal);
  }

  protected override async write(key: OffloadKey, block: Uint8Array, signal: AbortSignal): Promise<void> {
    throwFailure(await (await this.#owned()).store.store([{ key, block }], signal));
  }

  protected override async read(key: OffloadKey, into: Uint8Array, signal: AbortSignal): Promise<void> {
    throwFailure(await (await this.#owned()).store.load([{ key, block: into }], signal));
  }

  /** Empties every segment of this namespace and rank. Their files stay, to be used again. */
  override async clear(): Promise<void> {
    await (await this.#owned()).ring.clear();
  }

  override async remove(keys: readonly OffloadKey[]): Promise<void> {
    await (await this.#owned()).store.remove(keys);
  }

  override getStats(): TierFigures {
    const log = this.#holder?.log;
    return {
      ...super.getStats(),
      checksumFailures: this.#checksumFailures,
      blocksHeld: log?.catalog.size ?? 0,
      segments: log?.ring.segments.length ?? 0,
    };
  }

  override async shutdown(): Promise<void> {
    await super.shutdown();
    const [holder, threads] = [this.#holder, this.#threads];
    this.#holder = null;
    this.#threads = null;
    await holder?.close();
    await threads?.close(this.context.config.deadlineS);
  }

  async #owned(): Promise<OpenLog> {
    if (this.#holder === null) throw notOpen();
    return this.#holder.owned();
  }

  #checksumFailed({ message }: Error): void {
    this.#checksumFailures++;
    this.#faults.failed("A stored block was damaged", { tier: this.tierType, error: message });
  }
}

function throwFailure(outcomes: readonly TransferOutcome[]): void {
  for (const outcome of outcomes) if (typeof outcome !== "number") throw outcome;
}
