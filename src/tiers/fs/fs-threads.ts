import { hostname } from "node:os";
import { resolve } from "node:path";
import { DiskThreads } from "../disk/disk-threads.js";
import { startWorkers } from "../disk/start-workers.js";
import type { FileReplies, FileTask, FileWorkerData } from "./file-tasks.js";
import type { FsStoreParts } from "./fs-store.js";
import type { KeeperData, KeeperThread } from "./keeper-tasks.js";

const WORKER_ENTRY = new URL("./worker/file-worker.js", import.meta.url);
const KEEPER_ENTRY = new URL("./worker/keeper-worker.js", import.meta.url);

/** The threads that move blocks of one root, and look them up. */
export type FileThreads = DiskThreads<FileTask, FileReplies>;

/** Starts the thread that opens the folder and keeps its books. */
export async function startKeeper(parts: FsStoreParts): Promise<KeeperThread> {
  const { io, rootDir, namespace, writerId, blockBytes, tempMaxAgeS, limits, context } = parts;
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
  return startWorkers({ entry: KEEPER_ENTRY, minThreads: 1, maxThreads: 1, workerData, context });
}

/** @param onMoverEnded a thread was ended in the middle of a move */
export function startFileThreads(parts: FsStoreParts, onMoverEnded: (threadId: number) => void): FileThreads {
  const { io, rootDir, namespace, writerId, blockBytes, checksum, direct, memory, maxThreads, context } = parts;
  const workerData: FileWorkerData = {
    ...io,
    blockBytes,
    buffers: memory.buffers,
    folder: resolve(rootDir, namespace.blocks),
    writerId,
    checksum,
    direct,
  };
  return DiskThreads.start({ entry: WORKER_ENTRY, movers: maxThreads, workerData, context, onMoverEnded });
}
