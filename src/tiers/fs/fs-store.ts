import type { Clock } from "../../contracts/clock.js";
import type { TierFigures } from "../../contracts/secondary-tier-manager.js";
import { KvTierError } from "../../errors/kv-tier-error.js";
import { BlockMover, type MoveOp } from "../disk/block-mover.js";
import type { DiskIo } from "../disk/disk-io.js";
import type { DiskNamespace } from "../disk/disk-namespace.js";
import { openNamespace } from "../disk/open-namespace.js";
import { untilDeadline } from "../../contracts/until-deadline.js";
import type { PlacedBatch, WorkerMemory } from "../disk/worker-memory.js";
import type { TransferOutcome } from "../shared/block-transfer.js";
import type { TransferTask } from "./file-tasks.js";
import { startKeeper, startMovers, type FsThreads } from "./fs-threads.js";
import type { KeeperThread } from "./keeper-tasks.js";
import { Keeper } from "./space/keeper.js";
import { Ledger, type SpaceLimits } from "./space/ledger.js";
import { repeat } from "./space/repeat.js";
import { Space } from "./space/space.js";
import { SUB_FOLDERS } from "./worker/file-names.js";

/** Sub-folders that are cleared in one task. */
const CLEAR_STEP = 16;

/** What an {@link FsStore} is made from. */
export interface FsStoreParts {
  readonly io: DiskIo;
  readonly rootDir: string;
  readonly namespace: DiskNamespace;
  readonly writerId: string;
  readonly blockBytes: number;
  readonly checksum: boolean;
  readonly direct: SharedArrayBuffer | null;
  readonly memory: WorkerMemory;
  readonly maxThreads: number;
  /** The most that the file of a block takes, in bytes. */
  readonly fileBytes: number;
  /** `null` = as much as there is. */
  readonly limits: SpaceLimits | null;
  readonly deadlineS: number;
  readonly tempMaxAgeS: number;
  readonly clock: Clock;
  /** Blocks were removed to make room. */
  readonly onGone: (files: readonly string[]) => void;
  readonly onFault: (message: string, error: unknown) => void;
}

/**
 * The blocks of one namespace below one root, as files: `<sub-folder>/<name>`. Everything that touches the disk is done by
 * threads: movers store and load, express threads look up, and the keeper does what is left.
 */
export class FsStore {
  readonly #parts: FsStoreParts;
  readonly #threads: FsThreads;
  readonly #mover: BlockMover<TransferTask>;
  readonly #keeper: Keeper;
  readonly #space: Space | null;
  #stopSweeping = (): void => {};

  private constructor(parts: FsStoreParts, threads: FsThreads, keeper: Keeper, space: Space | null) {
    const { memory, blockBytes } = parts;
    this.#parts = parts;
    this.#threads = threads;
    this.#mover = new BlockMover<TransferTask>({ ...threads, memory, blockBytes });
    this.#keeper = keeper;
    this.#space = space;
  }

  /**
   * Opens the folder, counts what is in it and removes what is too much or left over. A folder with very many files is
   * counted on, past the deadline, while blocks are loaded already; stores wait for it.
   *
   * @throws KvTierError `TIER_INIT_FAILED` when the folder cannot be used, or does not answer within the deadline.
   */
  static async open(parts: FsStoreParts): Promise<FsStore> {
    const { clock, deadlineS, limits, fileBytes, onGone, onFault } = parts;
    const keeperThread = await startKeeper(parts);
    const ledger = limits && new Ledger(limits);
    const keeper = new Keeper({
      thread: keeperThread,
      clock,
      onStatus: (status, told) => ledger?.confirm(status, told),
    });
    await openFolder(parts, keeperThread, keeper);
    // Only now: the keeper's thread is what the app waits for, and is up sooner when it starts alone.
    const threads = { ...(await startMovers(parts)), keeper: keeperThread };
    const space = ledger && new Space({ keeper, ledger, clock, fileBytes, onGone, onFault });
    const store = new FsStore(parts, threads, keeper, space);
    await untilDeadline(clock, deadlineS, space === null ? store.#sweepFromNowOn() : space.open());
    return store;
  }

  get figures(): TierFigures {
    return this.#space?.figures ?? {};
  }

  /** Which of the files are there as whole blocks. */
  async has(files: readonly string[]): Promise<boolean[]> {
    const isThere = await this.#threads.express.run({ op: "has", files });
    const space = this.#space;
    return space === null ? isThere : isThere.map((is, i) => is && !space.isDoomed(files[i] ?? ""));
  }

  async store(
    files: readonly string[],
    blocks: readonly Uint8Array[],
    signal: AbortSignal,
  ): Promise<readonly TransferOutcome[]> {
    if (this.#space === null) return this.#move("store", files, blocks, signal);
    const { count, end } = await this.#space.admit(files, signal);
    let outcomes: readonly TransferOutcome[] = [];
    try {
      if (count > 0) outcomes = await this.#move("store", files.slice(0, count), blocks.slice(0, count), signal);
    } finally {
      end(
        outcomes.map((outcome) => (typeof outcome === "number" ? outcome : null)),
        signal.aborted,
      );
    }
    return [...outcomes, ...Array.from({ length: files.length - count }, () => noRoom())];
  }

  async load(
    files: readonly string[],
    blocks: readonly Uint8Array[],
    signal: AbortSignal,
  ): Promise<readonly TransferOutcome[]> {
    const space = this.#space;
    if (space === null) return this.#move("load", files, blocks, signal);
    const doomed = space.beginLoad(files);
    const picked = [...files.keys()].filter((i) => !doomed.has(files[i] ?? ""));
    const outcomes = files.map((): TransferOutcome | null => null);
    try {
      if (picked.length > 0) {
        const loaded = await this.#move("load", pick(files, picked), pick(blocks, picked), signal);
        picked.forEach((at, i) => (outcomes[at] = loaded[i] ?? null));
      }
    } finally {
      space.endLoad(
        files,
        outcomes.map((outcome) => (outcome === null ? null : typeof outcome === "number")),
      );
    }
    return outcomes.map((outcome) => outcome ?? new Error("The block is being evicted."));
  }

  /** The blocks were used, wherever the bytes came from; some may not be here. */
  touch(files: readonly string[]): void {
    this.#space?.touch(files);
  }

  /** Removes these files, as far as they are there. */
  async remove(files: readonly string[]): Promise<void> {
    const { fault } = await this.#keeper.change({ op: "remove", files });
    if (fault !== null) throw new Error(`Not every block could be removed: ${fault.message}`);
  }

  /** Removes what is ours: blocks, and what killed processes left. */
  async clear(): Promise<void> {
    const failures = new Set<string>();
    for (let i = 0; i < SUB_FOLDERS.length; i += CLEAR_STEP) {
      const { fault } = await this.#keeper.change({ op: "clear", subFolders: SUB_FOLDERS.slice(i, i + CLEAR_STEP) });
      if (fault !== null) failures.add(fault.message);
    }
    if (failures.size > 0) {
      throw new Error(`Not everything in ${this.#parts.rootDir} could be removed: ${[...failures].join("; ")}`);
    }
  }

  /** Ends the threads. One that hangs in a call ends only with the call: it is waited for until the deadline, no longer. */
  async close(): Promise<void> {
    this.#stopSweeping();
    const { clock, deadlineS } = this.#parts;
    await untilDeadline(clock, deadlineS, this.#closeAll());
  }

  async #closeAll(): Promise<void> {
    if (this.#space !== null) await this.#closeSpace(this.#space);
    const { movers, express, keeper } = this.#threads;
    await Promise.all([movers.close(), express.close(), keeper.close()]);
  }

  async #closeSpace(space: Space): Promise<void> {
    try {
      await space.close();
    } catch (error) {
      this.#parts.onFault("The books of a folder could not be closed", error);
    }
  }

  async #move(
    op: MoveOp,
    files: readonly string[],
    blocks: readonly Uint8Array[],
    signal: AbortSignal,
  ): Promise<readonly TransferOutcome[]> {
    const taskOf = ({ buffers, offsets }: PlacedBatch, from: number, to: number): TransferTask => ({
      op,
      files: files.slice(from, to),
      buffers: buffers.slice(from, to),
      offsets: offsets.slice(from, to),
    });
    return this.#mover.move({ op, blocks, taskOf }, signal);
  }

  /** Without a bound nothing is counted, and only what killed processes left is looked for. */
  #sweepFromNowOn(): Promise<void> {
    const sweep = async (): Promise<void> => {
      try {
        await this.#keeper.scan();
      } catch (error) {
        this.#parts.onFault("Temporary files could not be looked for", error);
      }
    };
    this.#stopSweeping = repeat(this.#parts.clock, this.#parts.tempMaxAgeS, sweep);
    return sweep();
  }
}

function noRoom(): Error {
  return Object.assign(new Error("There is no room below max_bytes, and nothing that could be evicted."), {
    code: "NO_ROOM",
  });
}

function pick<T>(items: readonly T[], at: readonly number[]): readonly T[] {
  return at.length === items.length ? items : at.map((i) => items[i] as T);
}

async function openFolder(
  { rootDir, namespace, clock, deadlineS }: FsStoreParts,
  thread: KeeperThread,
  keeper: Keeper,
): Promise<void> {
  const opening = openNamespace(rootDir, namespace, () => keeper.run({ op: "open" }));
  let isInTime = true;
  try {
    isInTime = await untilDeadline(clock, deadlineS, opening);
    if (isInTime) return;
    const what = `root_dir ${JSON.stringify(rootDir)} did not answer within ${deadlineS} s`;
    throw new KvTierError("TIER_INIT_FAILED", `${what}: see whether its mount hangs.`);
  } catch (error) {
    const closing = thread.close();
    // A thread that hangs ends with its call, if ever: who started it is not kept waiting for that.
    if (isInTime) await closing;
    else closing.catch(() => {});
    throw error;
  }
}
