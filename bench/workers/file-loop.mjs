import { closeSync, openSync, readSync, renameSync, writeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

// Files by plain synchronous calls, one after the other: as fast as one thread can be on this file system.

/** @type {{ buffer: SharedArrayBuffer, blockBytes: number }} */
const { buffer, blockBytes } = workerData;

parentPort?.on("message", (/** @type {{ op: "store" | "load", paths: string[], offsets: number[] }} */ task) => {
  for (const [i, path] of task.paths.entries()) {
    const block = new Uint8Array(buffer, task.offsets[i], blockBytes);
    if (task.op === "store") store(path, block);
    else load(path, block);
  }
  parentPort?.postMessage("done");
});

/** @param {string} path @param {Uint8Array} block */
function store(path, block) {
  const temp = `${path}.tmp`;
  const fd = openSync(temp, "wx");
  if (writeSync(fd, block) !== blockBytes) throw new Error(`${temp} was not written whole.`);
  closeSync(fd);
  renameSync(temp, path);
}

/** @param {string} path @param {Uint8Array} block */
function load(path, block) {
  const fd = openSync(path, "r");
  if (readSync(fd, block) !== blockBytes) throw new Error(`${path} is not whole.`);
  closeSync(fd);
}
