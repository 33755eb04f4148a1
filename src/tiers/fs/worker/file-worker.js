import { threadId, workerData } from "node:worker_threads";
import { attempt } from "../../disk/worker/attempt.js";
import { BlockMemory } from "../../disk/worker/block-memory.js";
import { BlockFiles } from "./block-files.js";

/**
 * What a worker thread runs. Plain JavaScript, because a thread's modules are loaded by Node alone, from the sources too.
 * A promise, because the file-system module comes by URL: functions do not cross into a thread, and tests want one that
 * fails.
 */
export default prepare(/** @type {import("../file-tasks.js").FileWorkerData} */ (unknown(workerData)));

/**
 * @param {import("../file-tasks.js").FileWorkerData} data
 * @returns {Promise<(task: import("../file-tasks.js").FileTask) => unknown>}
 */
async function prepare(data) {
  const { ioModule, folder, blockBytes, writerId, checksum, direct } = data;
  const io = /** @type {import("./block-files.js").BlockIo} */ (unknown(await import(ioModule)));
  const files = new BlockFiles({ io, folder, blockBytes, writerId: `${writerId}-${threadId}`, checksum, direct });
  const memory = new BlockMemory(data);

  /** @param {import("../file-tasks.js").TransferTask} task */
  const transfer = (task) =>
    task.files.map((file, i) =>
      attempt(() => files[task.op](fileOf(file), memory.blockAt(task.buffers[i], task.offsets[i]))),
    );

  return (task) => {
    switch (task.op) {
      case "has":
        return task.files.map((file) => attempt(() => Number(files.has(fileOf(file)))) === 1);
      case "store":
      case "load":
        return transfer(task);
    }
  };
}

/**
 * What comes from outside the type checker's sight, to be named by a cast.
 *
 * @param {unknown} value
 */
function unknown(value) {
  return value;
}

/** @param {string | null} file @returns {string} */
function fileOf(file) {
  if (file === null) throw new Error("The key is malformed, or too long for a file name.");
  return file;
}
