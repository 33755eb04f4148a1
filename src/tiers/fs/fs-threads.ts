import { hostname } from "node:os";
import { resolve } from "node:path";
import { DiskWorkers } from "../disk/disk-workers.js";
import type { FileReplies, FileTask, FileWorkerData, FileWorkers } from "./file-tasks.js";
import type { FsStoreParts } from "./fs-store.js";
import type { KeeperData, KeeperThread } from "./keeper-tasks.js";

const WORKER_ENTRY = new URL("./worker/entry.cjs", import.meta.url);
const KEEPER_ENTRY = new URL("./worker/keeper-entry.cjs", import.meta.url);

/** Movers that are started at once; more, as far as the options allow, when there is work for them. */
const FIRST_MOVERS = 2;
/** One for look-ups; the other starts when a load has to go past stores that hold every mover. */
const EXPRESS_THREADS = 2;
/** The threads of one root. */
export interface FsThreads {
  /** For stores and loads. */
  readonly movers: FileWorkers;
  /** For what must not wait for a store. */
  readonly express: FileWorkers;
  readonly keeper: KeeperThread;
}

/** Starts the thread that opens the folder and keeps its books. */
export async function startKeeper(parts: FsStoreParts): Promise<KeeperThread> {
  const { io, rootDir, namespace, writerId, blockBytes, tempMaxAgeS, limits } = parts;
  const workerData: KeeperData = {
    ...io,
    blockBytes,
    buffers: [],
    rootDir,
    namespace,
    writerId,
    host: hostname(),
    tempMaxAgeS,
    isCounting: limits !== null,
  };
  return DiskWorkers.start({
    entry: KEEPER_ENTRY,
    minThreads: 1,
    maxThreads: 1,
    workerData,
    onError: onErrorOf(parts),
  });
}

/** Starts the threads that move blocks and look them up. */
export async function startMovers(parts: FsStoreParts): Promise<Omit<FsThreads, "keeper">> {
  const { io, rootDir, namespace, writerId, blockBytes, checksum, direct, memory, maxThreads } = parts;
  const workerData: FileWorkerData = {
    ...io,
    blockBytes,
    buffers: memory.buffers,
    folder: resolve(rootDir, namespace.blocks),
    writerId,
    checksum,
    direct,
  };
  const start = (min: number, max: number): Promise<FileWorkers> =>
    DiskWorkers.start<FileTask, FileReplies>({
      entry: WORKER_ENTRY,
      minThreads: min,
      maxThreads: max,
      workerData,
      onError: onErrorOf(parts),
    });
  const movers = await start(Math.min(FIRST_MOVERS, maxThreads), maxThreads);
  return { movers, express: await start(1, EXPRESS_THREADS) };
}

function onErrorOf({ onFault }: FsStoreParts): (error: unknown) => void {
  return (error) => onFault("A file worker failed", error);
}
