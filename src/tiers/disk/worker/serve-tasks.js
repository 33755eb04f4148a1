import { getPriority, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { TaskPermits } from "./task-permits.js";

/**
 * How much these threads stand back for others, as in nice(2): the event loop has to go first where there are fewer cores
 * than threads with work. With 2 cores it waited twice as long without, at the 99th percentile.
 */
const NICENESS = 10;

/**
 * Runs task after task, as they come. What runs a task is the default export, or a promise of it, of the module that
 * `workerData.entry` names.
 */
export async function serveTasks() {
  // On Linux alone priorities are those of threads; elsewhere this would slow down the whole process.
  if (process.platform === "linux" && getPriority() < NICENESS) setPriority(NICENESS);
  const { entry, permits: memory } = /** @type {import("../disk-thread.js").ThreadData} */ (unknown(workerData));
  const { default: preparing } = /** @type {TaskModule} */ (unknown(await import(entry)));
  const run = await preparing;
  const permits = new TaskPermits(memory);
  parentPort?.on("message", (/** @type {import("../disk-thread.js").SentTask} */ { place, permit, task }) => {
    if (permits.take(place, permit)) parentPort?.postMessage(replyTo(run, permit, task));
  });
}

/**
 * @param {RunTask} run @param {number} permit @param {unknown} task
 * @returns {import("../disk-thread.js").TaskReply}
 */
function replyTo(run, permit, task) {
  try {
    return { permit, reply: run(task) };
  } catch (fault) {
    return { permit, fault };
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

/** @typedef {(task: unknown) => unknown} RunTask */
/** @typedef {{ default: Promise<RunTask> | RunTask }} TaskModule */
