import { totalmem } from "node:os";
import { configInvalid } from "../../config/config-invalid.js";
import { formatByteSize } from "../../config/byte-size.js";
import type { LookupResult } from "../../contracts/lookup-result.js";
import { Medium } from "../../contracts/medium.js";
import { isOffloadKey, type OffloadKey } from "../../contracts/offload-key.js";
import type { OffloadingEvent } from "../../contracts/offloading-event.js";
import type { RequestContext, ScheduleEndContext } from "../../contracts/request-context.js";
import { SecondaryTierManager, type DrainResult, type TierFigures } from "../../contracts/secondary-tier-manager.js";
import type { JobResult, TransferJob } from "../../contracts/transfer-job.js";
import { SecondaryTier } from "../../decorators/secondary-tier.js";
import { reasonOf } from "../../errors/factory-errors.js";
import type { DiskIo } from "../disk/disk-io.js";
import { errorCode } from "../disk/worker/error-code.js";
import { asError } from "../shared/checked-io.js";
import { FailureLog } from "../shared/failure-log.js";
import { wantsDirectIo } from "./direct-io-mode.js";
import { FsRoot } from "./fs-root.js";
import { FsTierConfig } from "./fs-tier-config.js";
import { rootDirsOf } from "./root-dirs.js";
import { shardOf } from "./shards.js";
import type { SpaceLimits } from "./space/ledger.js";
import { SpreadJobs } from "./spread-jobs.js";
import { PAGE_BYTES, TRAILER_BYTES } from "./worker/block-layout.js";

/**
 * Blocks as files, one each, below `root_dir`: `<model>_<digest>_r<rank>/<two hex digits>/<hash>_g<group>.bin`. Any
 * number of processes may share the folder. A file has its name only once it is whole.
 *
 * Worker threads move the bytes between the files and the pool, with no copy when the pool is shared memory. Look-ups
 * have a thread that stores never use, and loads too when stores hold all the others. With `max_bytes`, one process of
 * those on a folder evicts what was used least recently.
 *
 * With `path_sharding` each key has its folder, by its hash, and each folder queues, threads and deadlines of its own: one
 * that hangs or fails costs its own blocks only. A job that has blocks in it ends at its deadline with those of the others.
 */
@SecondaryTier("fs", { config: FsTierConfig, medium: Medium.Storage })
export class FsTier extends SecondaryTierManager<FsTierConfig> {
  #rootsOrNull: readonly FsRoot[] | null = null;
  readonly #jobs = new SpreadJobs((key) => this.#shardOf(key));
  readonly #faults = new FailureLog(this.context.logger, this.context.clock);
  /** One word for all threads, see `DirectIo`; `null` = direct I/O is not tried, or its refusal was told of. */
  #direct: SharedArrayBuffer | null = null;

  /** Opens every folder: one that cannot be used is a mistake in the config more often than a fault. */
  override async initialize(): Promise<void> {
    await all(this.#roots.map((root) => root.initialize()));
  }

  /** The module with the file-system calls, by URL, and what steers it; asked for once for each folder. Tests override this. */
  protected get io(): DiskIo {
    return { ioModule: "node:fs" };
  }

  override lookup(key: OffloadKey, ctx: RequestContext): LookupResult {
    return this.#rootOf(key).lookup(key, ctx);
  }

  override submitLoad(job: TransferJob): void {
    for (const part of this.#jobs.split(job)) this.#roots[part.shard]?.submitLoad(part.job);
  }

  override submitStore(job: TransferJob): void {
    for (const part of this.#jobs.split(job)) this.#roots[part.shard]?.submitStore(part.job);
  }

  override getFinishedJobs(): JobResult[] {
    return this.#roots.flatMap((root, shard) =>
      root.getFinishedJobs().flatMap((result) => this.#jobs.merge(shard, result) ?? []),
    );
  }

  override onRequestFinished(ctx: RequestContext): void {
    for (const root of this.#roots) root.onRequestFinished(ctx);
  }

  override onScheduleEnd(ctx: ScheduleEndContext): void {
    for (const root of this.#roots) root.onScheduleEnd(ctx);
  }

  override takeEvents(): OffloadingEvent[] {
    return this.#roots.flatMap((root) => root.takeEvents());
  }

  override hasPendingWork(): boolean {
    return this.#roots.some((root) => root.hasPendingWork());
  }

  /** Cancels nothing: what is queued now is worked off. What is submitted later is not waited for. */
  override async drainJobs(options: { deadlineS?: number } = {}): Promise<DrainResult> {
    const drained = await Promise.all(this.#roots.map((root) => root.drainJobs(options)));
    return { unfinished: [...new Set(drained.flatMap(({ unfinished }) => unfinished))] };
  }

  /** For the order in which blocks are evicted. */
  override touch(keys: readonly OffloadKey[]): void {
    this.#byRoot(keys).forEach((own, root) => root.touch(own));
  }

  /**
   * Removes the files of this namespace and rank: blocks, and what killed processes left. Other files stay.
   *
   * @throws KvTierError `INVALID_STATE` when the tier is not open, or is shut down meanwhile; an `Error` that says what
   *   could not be removed.
   */
  override async clear(): Promise<void> {
    await all(this.#roots.map((root) => root.clear()));
  }

  /** Removes the files of these blocks; a key that can have none is no fault. Errors as of `clear`. */
  override async remove(keys: readonly OffloadKey[]): Promise<void> {
    await all(Array.from(this.#byRoot(keys), ([root, own]) => root.remove(own)));
  }

  /**
   * Those of every tier, and `checksumFailures`; with `max_bytes` also `used` (bytes) and `evictions` (files). With several
   * folders, the sums: `stalled` is how many of them are.
   */
  override getStats(): TierFigures {
    const sum: Record<string, number> = {};
    for (const root of this.#roots) {
      for (const [name, figure] of Object.entries(root.getStats())) sum[name] = (sum[name] ?? 0) + figure;
    }
    return sum;
  }

  override async shutdown(): Promise<void> {
    // Options that do not fit have kept it from having any.
    await all((this.#rootsOrNull ?? []).map((root) => root.shutdown()));
  }

  /** Made at first use, when subclasses are constructed. */
  get #roots(): readonly FsRoot[] {
    this.#rootsOrNull ??= this.#makeRoots();
    return this.#rootsOrNull;
  }

  #makeRoots(): readonly FsRoot[] {
    const { config } = this.context;
    const rootDirs = rootDirsOf(config.rootDir, config.pathSharding !== undefined);
    const isDirect = this.#isDirect();
    this.#direct = isDirect ? new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT) : null;
    const fileBytes = this.blockBytes + (config.checksum ? (isDirect ? PAGE_BYTES : TRAILER_BYTES) : 0);
    const shared = {
      direct: this.#direct,
      fileBytes,
      limits: this.#spaceLimits(rootDirs.length, fileBytes),
      onMoved: () => this.#reportRefusedDirectIo(),
      onFault: (message: string, error: unknown) => this.#failed(message, error),
    };
    return rootDirs.map((rootDir) => new FsRoot(this.context, { ...shared, rootDir, io: this.io }));
  }

  #shardOf(key: OffloadKey): number {
    const { length } = this.#roots;
    return length > 1 && isOffloadKey(key) ? shardOf(key, length) : 0;
  }

  #rootOf(key: OffloadKey): FsRoot {
    const root = this.#roots[this.#shardOf(key)];
    if (root === undefined) throw new RangeError("There is no folder for this key.");
    return root;
  }

  #byRoot(keys: readonly OffloadKey[]): Map<FsRoot, OffloadKey[]> {
    const found = new Map<FsRoot, OffloadKey[]>();
    for (const key of keys) {
      const root = this.#rootOf(key);
      const own = found.get(root);
      if (own === undefined) found.set(root, [key]);
      else own.push(key);
    }
    return found;
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
  #spaceLimits(roots: number, fileBytes: number): SpaceLimits | null {
    const { maxBytes, lowWater } = this.context.config;
    if (maxBytes === undefined) return null;
    const ofEach = Math.floor(maxBytes / roots);
    if (ofEach >= fileBytes) return { maxBytes: ofEach, lowWater };
    const message = `must have room for a block in each root_dir, ${formatByteSize(fileBytes * roots)}; got ${maxBytes}`;
    throw configInvalid([{ path: "max_bytes", message }]);
  }

  #failed(message: string, error: unknown): void {
    const code = errorCode(error);
    const fields = { tier: this.tierType, error: reasonOf(asError(error)) };
    this.#faults.failed(message, fields, typeof code === "string" ? code : "");
  }
}

/** Waits for all, also when one fails. */
async function all(works: readonly Promise<void>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(works)) if (outcome.status === "rejected") throw outcome.reason;
}
