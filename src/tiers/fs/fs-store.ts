import { setImmediate as nextTurn } from "node:timers/promises";
import type { TierFigures } from "../../contracts/secondary-tier-manager.js";
import { KvTierError } from "../../errors/kv-tier-error.js";
import { BlockMover, type MoveOp } from "../disk/block-mover.js";
import type { DiskIo } from "../disk/disk-io.js";
import type { DiskNamespace } from "../disk/disk-namespace.js";
import { openNamespace } from "../disk/open-namespace.js";
import type { ThreadContext } from "../disk/start-workers.js";
import { untilDeadline } from "../../contracts/until-deadline.js";
import type { PlacedBatch, WorkerMemory } from "../disk/worker-memory.js";
import type { TransferOutcome } from "../shared/block-transfer.js";
import type { TransferTask } from "./file-tasks.js";
import { startFileThreads, startKeeper, type FileThreads } from "./fs-threads.js";
import type { KeeperThread } from "./keeper-tasks.js";
import { pick } from "./pick.js";
import { Keeper } from "./space/keeper.js";
import { Ledger, type SpaceLimits } from "./space/ledger.js";
import { lostLeases } from "./space/lost-leases.js";
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
  readonly context: ThreadContext;
  /** Blocks were removed to make room. */
  readonly onGone: (files: readonly string[]) => void;
  readonly onFault: (message: string, error: unknown) => void;
}

/** What moves blocks and looks them up. */
interface Moving {
  readonly threads: FileThreads;
  readonly mover: BlockMover<TransferTask>;
}

/**
 * The blocks of one namespace below one root, as files: `<sub-folder>/<name>`. Everything that touches the disk is done by
 * threads: movers store and load, express threads look up, and the keeper does what is left.
 */
export class FsStore {
  readonly #parts: FsStoreParts;
  readonly #keeperThread: KeeperThread;
  readonly #keeper: Keeper;
  readonly #space: Space | null;
  /** Ends when the threads are started, which nobody has waited for. */
  readonly #moving: Promise<Moving>;
  #stopSweeping = (): void => {};
  #isClosed = false;

  private constructor(parts: FsStoreParts, keeperThread: KeeperThread, keeper: Keeper, space: Space | null) {
    this.#parts = parts;
    this.#keeperThread = keeperThread;
    this.#keeper = keeper;
    this.#space = space;
    this.#moving = this.#startMoving();
    this.#moving.catch((error: unknown) => parts.onFault("The file workers could not be started", error));
    if (space === null) this.#sweepFromNowOn();
  }

  /**
   * Opens the folder. With a bound, what is in it is counted, and what is too much removed; a folder with very many files is
   * counted on, past the deadline, while blocks are loaded already, and stores wait for it.
   *
   * @throws KvTierError `TIER_INIT_FAILED` when the folder cannot be used, or does not answer within the deadline.
   */
  static async open(parts: FsStoreParts): Promise<FsStore> {
    const { context, deadlineS, limits, fileBytes, onGone, onFault } = parts;
    const { clock } = context;
    const keeperThread = await startKeeper(parts);
    const ledger = limits && new Ledger(limits);
    const keeper = new Keeper({
      thread: keeperThread,
      clock,
      onStatus: (status, told) => ledger?.confirm(status, told),
    });
    await openFolder(parts, keeperThread, keeper);
    const space = ledger && new Space({ keeper, ledger, clock, fileBytes, onGone, onFault });
    if (space !== null) await untilDeadline(clock, deadlineS, space.open());
    // Only now are other threads started: the keeper's is what the app waits for, and is up sooner when it starts alone.
    return new FsStore(parts, keeperThread, keeper, space);
  }

  get figures(): TierFigures {
    return this.#space?.figures ?? {};
  }

  /** Which of the files are there as whole blocks. */
  async has(files: readonly string[]): Promise<boolean[]> {
    const { threads } = await this.#moving;
    const isThere = await threads.express.run({ op: "has", files });
    const space = this.#space;
    return space === null ? isThere : isThere.map((is, i) => is && !space.isDoomed(files[i] ?? ""));
  }

  async store(
    files: readonly string[],
    blocks: readonly Uint8Array[],
    signal: AbortSignal,
  ): Promise<readonly TransferOutcome[]> {
    if (this.#space === null) return this.#storeUnbounded(files, blocks, signal);
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
    const { fault } = await this.#keeper.remove({ op: "remove", files });
    if (fault !== null) throw new Error(`Not every block could be removed: ${fault.message}`);
  }

  /** Removes what is ours: blocks, and what killed processes left. */
  async clear(): Promise<void> {
    const failures = new Set<string>();
    for (let i = 0; i < SUB_FOLDERS.length; i += CLEAR_STEP) {
      const { fault } = await this.#keeper.remove({ op: "clear", subFolders: SUB_FOLDERS.slice(i, i + CLEAR_STEP) });
      if (fault !== null) failures.add(fault.message);
    }
    if (failures.size > 0) {
      throw new Error(`Not everything in ${this.#parts.rootDir} could be removed: ${[...failures].join("; ")}`);
    }
  }

  /** Ends the threads. One that hangs in a call ends only with the call: it is waited for until the deadline, no longer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopSweeping();
    const { context, deadlineS, writerId } = this.#parts;
    const isInTime = await untilDeadline(context.clock, deadlineS, this.#closeAll());
    if (!isInTime && this.#space !== null) lostLeases.add(writerId);
  }

  async #closeAll(): Promise<void> {
    if (this.#space !== null) await this.#closeSpace(this.#space);
    const moving = await this.#moving.catch(() => null);
    await Promise.all([moving?.threads.close(Infinity), this.#keeperThread.close()]);
  }

  async #closeSpace(space: Space): Promise<void> {
    try {
      await space.close();
      lostLeases.delete(this.#parts.writerId);
    } catch (error) {
      lostLeases.add(this.#parts.writerId);
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
    const { mover } = await this.#moving;
    return mover.move({ op, blocks, taskOf }, signal);
  }

  async #storeUnbounded(
    files: readonly string[],
    blocks: readonly Uint8Array[],
    signal: AbortSignal,
  ): Promise<readonly TransferOutcome[]> {
    try {
      return await this.#move("store", files, blocks, signal);
    } finally {
      if (signal.aborted) {
        for (const file of files) this.#keeper.cut(file);
        void this.#keeper.tell();
      }
    }
  }

  /** The app goes on first: until it has something to move, it has no use for these threads. */
  async #startMoving(): Promise<Moving> {
    await nextTurn();
    const { memory, blockBytes } = this.#parts;
    const threads = startFileThreads(this.#parts, (threadId) => this.#keeper.threadEnded(threadId));
    threads.startMovers();
    const { movers, express } = threads;
    return { threads, mover: new BlockMover<TransferTask>({ movers, express, memory, blockBytes }) };
  }

  /** Without a bound nothing is counted, and only what killed processes left is looked for. */
  #sweepFromNowOn(): void {
    const sweep = async (): Promise<void> => {
      try {
        await this.#keeper.scan();
      } catch (error) {
        if (!this.#isClosed) this.#parts.onFault("Temporary files could not be looked for", error);
      }
    };
    this.#stopSweeping = repeat(this.#parts.context.clock, this.#parts.tempMaxAgeS, sweep);
    void sweep();
  }
}

function noRoom(): Error {
  return Object.assign(new Error("There is no room below max_bytes, and nothing that could be evicted."), {
    code: "NO_ROOM",
  });
}

async function openFolder(
  { rootDir, namespace, context, deadlineS }: FsStoreParts,
  thread: KeeperThread,
  keeper: Keeper,
): Promise<void> {
  const opening = openNamespace(rootDir, namespace, () => keeper.run({ op: "open" }));
  let isInTime = true;
  try {
    isInTime = await untilDeadline(context.clock, deadlineS, opening);
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
