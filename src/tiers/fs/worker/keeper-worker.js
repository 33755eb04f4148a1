import { workerData } from "node:worker_threads";
import { failureOf } from "../../disk/worker/attempt.js";
import { Keeper } from "./keeper.js";

/** What the keeper's thread runs; see `file-worker.js`. */
export default prepare(/** @type {import("../keeper-tasks.js").KeeperData} */ (unknown(workerData)));

/**
 * @param {import("../keeper-tasks.js").KeeperData} data
 * @returns {Promise<(task: import("../keeper-tasks.js").KeeperTask) => unknown>}
 */
async function prepare(data) {
  const io = /** @type {typeof import("node:fs")} */ (unknown(await import(data.ioModule)));
  const keeper = new Keeper(data, io);
  return (task) => {
    try {
      return { value: keeper.run(task) };
    } catch (error) {
      return { failure: failureOf(error) };
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
