import { randomBytes } from "node:crypto";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { TierFigures } from "../../contracts/secondary-tier-manager.js";
import type { TierContext } from "../../contracts/tier-context.js";
import { KvTierError } from "../../errors/kv-tier-error.js";
import type { DiskIo } from "../disk/disk-io.js";
import { diskLimits } from "../disk/disk-limits.js";
import { errorCode } from "../disk/worker/error-code.js";
import { PoolMemory, StagingMemory, type WorkerMemory } from "../disk/worker-memory.js";
import type { BlockStoreLimits } from "../shared/block-store-limits.js";
import { BlockStoreTier } from "../shared/block-store-tier.js";
import type { BlockTransfer, TransferOutcome } from "../shared/block-transfer.js";
import { CHECKSUM, TORN } from "../shared/worker/block-fault.js";
import { blockFileOf, keyOfBlockFile } from "./block-file.js";
import { FsStore } from "./fs-store.js";
import type { FsTierConfig } from "./fs-tier-config.js";
import { fsNamespace } from "./namespace.js";
import { pick } from "./pick.js";
import type { SpaceLimits } from "./space/ledger.js";

type Transfer = Pick<BlockTransfer, "key" | "block">;

/** What is one folder's own, and what all folders of a tier share. */
export interface FsRootParts {
  readonly rootDir: string;
  readonly io: DiskIo;
  /** See `DirectIo`; one word for all folders. `null` = direct I/O is not tried. */
  readonly direct: SharedArrayBuffer | null;
  /** The most that the file of a block takes, in bytes. */
  readonly fileBytes: number;
  /** `null` = as much as there is. */
  readonly limits: SpaceLimits | null;
  /** Blocks were moved, or could not be. */
  readonly onMoved: () => void;
  readonly onFault: (message: string, error: unknown) => void;
}

/**
 * The blocks below one folder, with queues, threads and deadlines of their own: a folder on a mount that hangs keeps none of
 * another waiting.
 */
export class FsRoot extends BlockStoreTier<FsTierConfig> {
  readonly #parts: FsRootParts;
  #store: FsStore | null = null;
  #checksumFailures = 0;

  constructor(context: TierContext<FsTierConfig>, parts: FsRootParts) {
    super(context);
    this.#parts = parts;
  }

  override async initialize(): Promise<void> {
    const { config, offloadingSpec, primaryKvView: view } = this.context;
    const { batchBlocks, concurrency } = this.limits;
    const memory: WorkerMemory = view.isShared
      ? new PoolMemory(view)
      : new StagingMemory(this.blockBytes, batchBlocks, concurrency);
    this.#store = await FsStore.open({
      ...this.#parts,
      namespace: fsNamespace(offloadingSpec.model, this.blockBytes),
      // Processes on other machines may have this one's id, and share the folder.
      writerId: `${process.pid}-${randomBytes(6).toString("hex")}`,
      blockBytes: this.blockBytes,
      checksum: config.checksum,
      memory,
      maxThreads: config.nReadThreads + config.nWriteThreads,
      deadlineS: config.deadlineS,
      tempMaxAgeS: config.tempMaxAgeS,
      context: this.context,
      onGone: (files) => this.markRemoved(files.map(keyOfBlockFile).filter((key) => key !== null)),
    });
  }

  protected override get limits(): BlockStoreLimits {
    return diskLimits(this.context.config, this.blockBytes);
  }

  protected override async exists(keys: readonly OffloadKey[]): Promise<boolean[]> {
    const { files, at } = filesOf(keys);
    const answers = new Array<boolean>(keys.length).fill(false);
    (await this.#open.has(files)).forEach((isThere, i) => (answers[at[i] ?? 0] = isThere));
    return answers;
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

  override touch(keys: readonly OffloadKey[]): void {
    if (this.#parts.limits !== null) this.#store?.touch(filesOf(keys).files);
  }

  override async clear(): Promise<void> {
    try {
      await this.#change((store) => store.clear());
    } finally {
      this.forgetLookups();
    }
  }

  override async remove(keys: readonly OffloadKey[]): Promise<void> {
    try {
      await this.#change((store) => store.remove(filesOf(keys).files));
    } finally {
      this.markMiss(keys);
    }
  }

  override getStats(): TierFigures {
    return { ...super.getStats(), checksumFailures: this.#checksumFailures, ...this.#store?.figures };
  }

  override async shutdown(): Promise<void> {
    await super.shutdown();
    const store = this.#store;
    this.#store = null;
    await store?.close();
  }

  async #move(
    op: "store" | "load",
    batch: readonly Transfer[],
    signal: AbortSignal,
  ): Promise<readonly TransferOutcome[]> {
    const { files, at } = filesOf(batch.map(({ key }) => key));
    const outcomes = batch.map((): TransferOutcome => NO_FILE);
    if (at.length === 0) return outcomes;
    const blocks = pick(batch, at).map(({ block }) => block);
    const moved = await this.#open[op](files, blocks, signal);
    this.#parts.onMoved();
    at.forEach((i, n) => (outcomes[i] = this.#outcomeOf(batch[i]?.key, moved[n] ?? NO_FILE)));
    return outcomes;
  }

  #outcomeOf(key: OffloadKey | undefined, outcome: TransferOutcome): TransferOutcome {
    // A file has more bytes than the block that was moved.
    if (typeof outcome === "number") return Math.min(outcome, this.blockBytes);
    const code = errorCode(outcome);
    if (code !== CHECKSUM && code !== TORN) return outcome;
    if (code === CHECKSUM) this.#checksumFailures++;
    this.#parts.onFault("A stored block was damaged", outcome);
    if (key !== undefined) this.markRemoved([key]);
    return outcome;
  }

  /** A change that the end of the tier cuts off ends as one that comes after it. */
  async #change(work: (store: FsStore) => Promise<void>): Promise<void> {
    const store = this.#open;
    try {
      await work(store);
    } catch (error) {
      throw this.#store === store ? error : notOpen();
    }
  }

  get #open(): FsStore {
    if (this.#store === null) throw notOpen();
    return this.#store;
  }
}

const NO_FILE = new Error("The key is malformed, or too long for a file name.");

/** Of the keys that can have a file, the files, and where they are in the list. */
function filesOf(keys: readonly OffloadKey[]): { files: string[]; at: number[] } {
  const files: string[] = [];
  const at: number[] = [];
  keys.forEach((key, i) => {
    const file = blockFileOf(key);
    if (file === null) return;
    files.push(file);
    at.push(i);
  });
  return { files, at };
}

function throwFailures(outcomes: readonly TransferOutcome[]): void {
  for (const outcome of outcomes) if (typeof outcome !== "number") throw outcome;
}

function notOpen(): KvTierError {
  return new KvTierError("INVALID_STATE", "The fs tier is not initialized, or is shut down.");
}
