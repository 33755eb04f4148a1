import { fstatSync, openSync, readSync, writeSync, writevSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

// One segment file that is kept open and was written to its end before: as fast as one thread can be on this file system.

/** @type {{ buffer: SharedArrayBuffer, blockBytes: number, path: string, segmentBlocks: number }} */
const { buffer, blockBytes, path, segmentBlocks } = workerData;

/** Blocks of one `writev`. */
const BATCH = 16;

const fd = openSync(path, "w+");
const page = new Uint8Array(blockBytes);
for (let slot = 0; slot < segmentBlocks; slot++) writeSync(fd, page, 0, blockBytes, slot * blockBytes);
if (fstatSync(fd).size !== segmentBlocks * blockBytes) throw new Error(`${path} could not be made.`);

/** @typedef {{ op: "store" | "load", slots: number[], offsets: number[] }} SegmentTask */

parentPort?.on("message", (/** @type {SegmentTask} */ task) => {
  if (task.op === "store") store(task);
  else load(task);
  parentPort?.postMessage("done");
});
parentPort?.postMessage("ready");

/** To successive slots. @param {SegmentTask} task */
function store({ slots, offsets }) {
  for (let i = 0; i < slots.length; i += BATCH) {
    const blocks = offsets.slice(i, i + BATCH).map((offset) => new Uint8Array(buffer, offset, blockBytes));
    const bytes = blocks.length * blockBytes;
    if (writevSync(fd, blocks, (slots[i] ?? 0) * blockBytes) !== bytes)
      throw new Error("A batch was not written whole.");
  }
}

/** @param {SegmentTask} task */
function load({ slots, offsets }) {
  for (const [i, slot] of slots.entries()) {
    const block = new Uint8Array(buffer, offsets[i], blockBytes);
    if (readSync(fd, block, 0, blockBytes, slot * blockBytes) !== blockBytes) throw new Error("A block was not whole.");
  }
}
