import { LookupResult } from "../../contracts/lookup-result.js";
import { Medium } from "../../contracts/medium.js";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { RequestContext } from "../../contracts/request-context.js";
import type { TierFigures } from "../../contracts/secondary-tier-manager.js";
import { SecondaryTier } from "../../decorators/secondary-tier.js";
import { reasonOf } from "../../errors/factory-errors.js";
import { KvTierError } from "../../errors/kv-tier-error.js";
import { BlockMover } from "../disk/block-mover.js";
import type { DiskIo } from "../disk/disk-io.js";
import { DiskThreads } from "../disk/disk-threads.js";
import { openNamespace } from "../disk/open-namespace.js";
import { untilDeadline } from "../../contracts/until-deadline.js";
import { PoolMemory, StagingMemory } from "../disk/worker-memory.js";
import type { BlockStoreLimits } from "../shared/block-store-limits.js";
import { BlockStoreTier } from "../shared/block-store-tier.js";
import type { BlockTransfer, TransferOutcome } from "../shared/block-transfer.js";
import { FailureLog } from "../shared/failure-log.js";
import { logNamespace, type LogNamespace } from "./log-namespace.js";
import { LogTierConfig } from "./log-tier-config.js";
import { MoverWorkers } from "./mover-workers.js";
import { OpenLog } from "./open-log.js";
import { planSegments, type SegmentPlan } from "./plan-segments.js";
import type { MoveTask, SegmentReplies, SegmentTask, SegmentWorkerData } from "./segment-tasks.js";

const WORKER_ENTRY = new URL("./worker/entry.cjs", import.meta.url);

/** Bytes of one batch: enough to make the way to a thread and back cheap, and few enough to let a load in soon. */
const BATCH_BYTES = 8 * 2 ** 20;
const MAX_BATCH_BLOCKS = 64;
/** How long after the folder was lost, and after each attempt to get it back, the next one follows. */
const REOPEN_AFTER_S = 2;

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
  #mover: BlockMover<MoveTask> | null = null;
  /** `null` before `initialize`, after `shutdown`, and while another process owns the folder. */
  #log: OpenLog | null = null;
  #isShutDown = false;
  #checksumFailures = 0;
  readonly #faults = new FailureLog(this.context.logger, this.context.clock);
  #cancelReopen = (): void => {};

  override async initialize(): Promise<void> {
    const { config, primaryKvView: view } = this.context;
    const plan = planSegments(config, this.blockBytes);
    const { batchBlocks, concurrency } = this.limits;
    const memory = view.isShared ? new PoolMemory(view) : new StagingMemory(this.blockBytes, batchBlocks, concurrency);
    const workerData: SegmentWorkerData = {
      ...this.io,
      blockBytes: this.blockBytes,
      buffers: memory.buffers,
      slots: plan.slots,
      namespace: this.#namespace.id,
      checksum: config.checksum,
    };
    const threads: SegmentThreads = await DiskThreads.start({
      entry: WORKER_ENTRY,
      movers: config.nReadThreads + config.nWriteThreads,
      workerData,
      context: this.context,
    });
    this.#threads = threads;
    this.#mover = new BlockMover<MoveTask>({
      movers: new MoverWorkers(threads.movers, this.blockBytes),
      express: new MoverWorkers(threads.express, this.blockBytes),
      memory,
      blockBytes: this.blockBytes,
    });
    await this.#openInTime(plan);
  }

  /** The module with the file-system calls, by URL, and what steers it. Tests override this to make calls fail. */
  protected get io(): DiskIo {
    return { ioModule: "node:fs" };
  }

  protected override get limits(): BlockStoreLimits {
    const { nReadThreads, nWriteThreads, maxQueuedBlocks, deadlineS } = this.context.config;
    return {
      // One batch runs and one waits for each thread, so that a thread never waits for the event loop.
      concurrency: 2 * (nReadThreads + nWriteThreads),
      batchBlocks: Math.max(1, Math.min(MAX_BATCH_BLOCKS, Math.floor(BATCH_BYTES / this.blockBytes))),
      maxQueuedBlocks,
      deadlineS,
    };
  }

  /** At once, from memory. */
  override lookup(key: OffloadKey, _ctx: RequestContext): LookupResult {
    return this.isServing && this.#log?.catalog.has(key) === true ? LookupResult.Hit : LookupResult.Miss;
  }

  protected override async exists(keys: readonly OffloadKey[]): Promise<boolean[]> {
    return keys.map((key) => this.#log?.catalog.has(key) ?? false);
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
    const log = this.#log;
    return {
      ...super.getStats(),
      checksumFailures: this.#checksumFailures,
      blocksHeld: log?.catalog.size ?? 0,
      segments: log?.ring.segments.length ?? 0,
    };
  }

  override async shutdown(): Promise<void> {
    this.#isShutDown = true;
    this.#cancelReopen();
    await super.shutdown();
    const [log, threads] = [this.#log, this.#threads];
    this.#log = null;
    this.#threads = null;
    const { clock, config } = this.context;
    if (log !== null) await this.#quietly(untilDeadline(clock, config.deadlineS, log.close()));
    await threads?.close(config.deadlineS);
  }

  get #namespace(): LogNamespace {
    return logNamespace(this.context.offloadingSpec.model, this.blockBytes);
  }

  /** On a mount that hangs nothing ends by itself. */
  async #openInTime(plan: SegmentPlan): Promise<void> {
    const { clock, config } = this.context;
    const opening = this.#open(plan);
    if (await untilDeadline(clock, config.deadlineS, opening)) return;
    throw new KvTierError(
      "TIER_INIT_FAILED",
      `root_dir ${JSON.stringify(config.rootDir)} did not answer within ${config.deadlineS} s. Is its mount alive?`,
    );
  }

  async #open(plan: SegmentPlan): Promise<void> {
    const { config, clock, enableKvEvents } = this.context;
    const [threads, mover] = [this.#threads, this.#mover];
    if (threads === null || mover === null) throw notOpen();
    const { express } = threads;
    const namespace = this.#namespace;
    const folder = await openNamespace(config.rootDir, namespace, async () => {
      const made = await express.run({ op: "folders", rootDir: config.rootDir, namespace });
      if (typeof made === "string") return made;
      throw Object.assign(new Error(made.message), { code: made.code });
    });
    const log = await OpenLog.open({
      folder,
      geometry: { slots: plan.slots, blockBytes: this.blockBytes },
      maxSegments: plan.maxSegments,
      checksum: config.checksum,
      mover,
      express,
      clock,
      onLost: () => this.#lost(plan),
      onRemoved: enableKvEvents === true ? (keys) => this.markRemoved(keys) : null,
      onChecksumFailed: (error) => this.#checksumFailed(error),
    });
    if (this.#isShutDown) await log.close();
    else this.#log = log;
  }

  /** The log, as long as this process certainly owns it. */
  async #owned(): Promise<OpenLog> {
    const log = this.#log;
    if (log === null) throw notOpen();
    if (!log.lock.isSure && !(await log.lock.confirm())) throw notOpen();
    return log;
  }

  /** What is held is another's now: none of it is served any more. The folder may become free again. */
  #lost(plan: SegmentPlan): void {
    const log = this.#log;
    this.#log = null;
    if (this.#isShutDown || log === null) return;
    this.context.logger.error("Another process has taken the folder of a log tier over, or it was removed", {
      tier: this.tierType,
      rootDir: this.context.config.rootDir,
    });
    void this.#quietly(log.abandon());
    this.#reopenLater(plan);
  }

  #reopenLater(plan: SegmentPlan): void {
    if (this.#isShutDown) return;
    this.#cancelReopen = this.context.clock.after(REOPEN_AFTER_S, () => {
      this.#open(plan).then(
        () => this.context.logger.info("The folder of a log tier is in use again", { tier: this.tierType }),
        () => this.#reopenLater(plan),
      );
    });
  }

  #checksumFailed({ message }: Error): void {
    this.#checksumFailures++;
    this.#faults.failed("A stored block was damaged", { tier: this.tierType, error: message });
  }

  async #quietly(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.context.logger.warn("A log tier was not closed in order", { tier: this.tierType, error: reasonOf(error) });
    }
  }
}

function notOpen(): KvTierError {
  return new KvTierError("INVALID_STATE", "The log tier is not initialized, is shut down, or has lost its folder.");
}

function throwFailure(outcomes: readonly TransferOutcome[]): void {
  for (const outcome of outcomes) if (typeof outcome !== "number") throw outcome;
}
