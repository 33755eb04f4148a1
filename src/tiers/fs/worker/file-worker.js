import { threadId, workerData } from "node:worker_threads";
import { BlockFiles } from "./block-files.js";
import { errorCode } from "./error-code.js";
import { isOurFileName } from "./file-names.js";

/**
 * Entry of a worker thread. Plain JavaScript, because a thread's entry is loaded by Node alone, from the sources too. A
 * promise, because the file-system module comes by URL: functions do not cross into a thread, and tests want one that
 * fails.
 */
export default prepare(/** @type {import("../file-tasks.js").FileWorkerData} */ (unknown(workerData)));

/**
 * @param {import("../file-tasks.js").FileWorkerData} data
 * @returns {Promise<(task: import("../file-tasks.js").FileTask) => unknown>}
 */
async function prepare({ ioModule, folder, blockBytes, writerId, buffers }) {
  const io = /** @type {import("./block-files.js").BlockIo} */ (unknown(await import(ioModule)));
  const files = new BlockFiles({ io, folder, blockBytes, writerId: `${writerId}-${threadId}` });

  /** @param {import("../file-tasks.js").TransferTask} task */
  const transfer = (task) =>
    task.files.map((file, i) =>
      attempt(() => files[task.op](fileOf(file), blockAt(task.buffers[i] ?? -1, task.offsets[i] ?? 0))),
    );

  /** @param {number} index @param {number} byteOffset */
  const blockAt = (index, byteOffset) => {
    const buffer = buffers[index];
    if (buffer === undefined) throw new RangeError(`There is no buffer ${index}.`);
    return new Uint8Array(buffer, byteOffset, blockBytes);
  };

  return (task) => {
    switch (task.op) {
      case "has":
        return task.files.map((file) => attempt(() => Number(files.has(fileOf(file)))) === 1);
      case "remove":
        return task.files.map((file) => attempt(() => files.remove(fileOf(file))));
      case "clear":
        return attempt(() => files.clear(task.subFolder, isOurFileName));
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

/**
 * One block's failure is that block's alone.
 *
 * @param {() => number} fn
 * @returns {import("../file-tasks.js").FileOutcome}
 */
function attempt(fn) {
  try {
    return fn();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const code = errorCode(error);
    return typeof code === "string" ? { message, code } : { message };
  }
}
