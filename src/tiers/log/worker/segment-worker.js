import { dirname } from "node:path";
import { workerData } from "node:worker_threads";
import { attempt, failureOf } from "../../disk/worker/attempt.js";
import { BlockMemory } from "../../disk/worker/block-memory.js";
import { openFolders } from "../../disk/worker/open-folders.js";
import { RootPlace } from "../../disk/worker/root-place.js";
import { SegmentFiles } from "./segment-files.js";

/** @typedef {import("./segment-files.js").SegmentFilesIo & import("../../disk/worker/open-folders.js").FolderIo} SegmentIo */
/** @typedef {import("../segment-tasks.js").MoveTask} MoveTask */
/** @typedef {import("../segment-tasks.js").MoveReply} MoveReply */

/** What a worker thread runs. A promise, because the file-system module comes by URL: tests want one that fails. */
export default prepare(/** @type {import("../segment-tasks.js").SegmentWorkerData} */ (unknown(workerData)));

/**
 * @param {import("../segment-tasks.js").SegmentWorkerData} data
 * @returns {Promise<(task: import("../segment-tasks.js").SegmentTask) => unknown>}
 */
async function prepare(data) {
  const { ioModule, slots, blockBytes, namespace, checksum } = data;
  const io = /** @type {SegmentIo} */ (unknown(await import(ioModule)));
  const files = new SegmentFiles({ io, slots, blockBytes, namespace, checksum });
  const memory = new BlockMemory(data);

  return (task) => {
    switch (task.op) {
      case "folders":
        return orFailure(() => open(io, task));
      case "store":
      case "load":
        return move(files, memory, task, blockBytes);
      case "scan":
        return orFailure(() => files.scan(task.fd, task.table, task.trustUnchecked));
      case "format":
        return orFailure(() => files.format(task.fd, task.epoch, task.token));
      case "erase":
        return attempt(() => (files.erase(task.fd, task.table, task.slots), 0));
      case "sync":
        return attempt(() => (files.sync(task.fd), 0));
    }
  };
}

/**
 * @param {SegmentIo} io @param {import("../segment-tasks.js").FoldersTask} task
 * @returns {import("../segment-tasks.js").OpenedFolders}
 */
function open(io, { root: { path, device }, namespace }) {
  if (device !== null) new RootPlace(io, () => path, namespace.blocks, device).assertThere();
  const folder = openFolders(io, path, namespace);
  const root = dirname(folder);
  return { folder, root: { path: root, device: io.statSync(root).dev } };
}

/**
 * @param {SegmentFiles} files @param {BlockMemory} memory @param {MoveTask} task @param {number} blockBytes
 * @returns {MoveReply}
 */
function move(files, memory, { op, segments, runs, buffers, offsets }, blockBytes) {
  /** @type {Map<number, import("../../disk/disk-io.js").IoOutcome>} */
  const failures = new Map();
  for (let run = 0, done = 0; run < runs.length; run += 3) {
    const [index = 0, first = 0, count = 0] = runs.subarray(run, run + 3);
    const segment = segments[index];
    if (segment === undefined) throw new RangeError(`There is no segment ${index} in the task.`);
    const start = done;
    const blocks = Array.from({ length: count }, (_, i) => memory.blockAt(buffers[start + i], offsets[start + i]));
    if (op === "load") files.load(segment, first, blocks, (i, outcome) => failures.set(start + i, outcome));
    else {
      // Not thrown: an error would lose its code on its way to the main thread.
      const outcome = attempt(() => (files.store(segment, first, blocks), blockBytes));
      if (typeof outcome !== "number") blocks.forEach((_, i) => failures.set(start + i, outcome));
    }
    done += count;
  }
  return failures.size === 0 ? null : offsets.map((_, i) => failures.get(i) ?? blockBytes);
}

/** @template T @param {() => T} fn @returns {T | import("../../disk/disk-io.js").IoFailure} */
function orFailure(fn) {
  try {
    return fn();
  } catch (error) {
    return failureOf(error);
  }
}

/**
 * What comes from outside the type checker's sight, to be named by a cast.
 *
 * @param {unknown} value
 */
function unknown(value) {
  return value;
}
