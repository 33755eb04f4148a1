import { mkdirSync, rmSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { inLanes } from "./in-lanes.mjs";
import { Threads } from "./threads.mjs";

/** @import { BlockRequest, Workload } from "./workload.mjs" */

/** Threads of the bare loop; on a local disk more bring nothing. */
const THREADS = 2;

/** A file for each block, with a temporary name until it is whole: what the contestants of `fs` have in common. */
class BareFiles {
  #folder;
  /** Memory of all blocks. */
  view;
  workload;

  /** @param {string} folder @param {Workload} workload */
  constructor(folder, workload) {
    this.#folder = folder;
    this.workload = workload;
    this.view = workload.allocate();
    for (let i = 0; i < 256; i++) mkdirSync(this.#subFolder(i), { recursive: true });
  }

  fill() {
    for (let i = 0; i < this.workload.blocks; i++) this.workload.content.fill(i, this.view.block(i));
  }

  check() {
    for (let i = 0; i < this.workload.blocks; i++) this.workload.content.check(i, this.view.block(i));
  }

  /** So that what is read must have been read. */
  wipe() {
    for (let i = 0; i < this.workload.blocks; i++) this.view.block(i).fill(0);
  }

  clear() {
    for (let i = 0; i < this.workload.blocks; i++) rmSync(this.path(i), { force: true });
  }

  /** @param {number} number */
  path(number) {
    return join(this.#subFolder(number % 256), `block-${number}.bin`);
  }

  /** @param {number} number */
  offset(number) {
    return this.view.locate(number).byteOffset;
  }

  /** @param {number} number */
  #subFolder(number) {
    return join(this.#folder, number.toString(16).padStart(2, "0"));
  }
}

/** By `fs.promises`, with a number of calls in flight that is chosen by trial. */
export class FilesByPromises extends BareFiles {
  /** @param {readonly number[]} numbers @param {number} inFlight */
  async store(numbers, inFlight) {
    await inLanes(numbers.values(), inFlight, async (number) => {
      const path = this.path(number);
      const temp = `${path}.tmp`;
      const file = await open(temp, "wx");
      await file.write(this.view.block(number));
      await file.close();
      await rename(temp, path);
    });
  }

  /** @param {readonly number[]} numbers @param {number} inFlight */
  async load(numbers, inFlight) {
    await inLanes(numbers.values(), inFlight, async (number) => {
      const file = await open(this.path(number), "r");
      await file.read(this.view.block(number));
      await file.close();
    });
  }
}

/** By two threads with plain synchronous calls: the limit. */
export class FilesByThreads extends BareFiles {
  #threads;

  /** @param {string} folder @param {Workload} workload */
  constructor(folder, workload) {
    super(folder, workload);
    const data = { buffer: this.view.slabs[0]?.buffer, blockBytes: workload.blockBytes };
    this.#threads = Threads.start(
      "file-loop.mjs",
      Array.from({ length: THREADS }, () => data),
    );
  }

  /** @param {"store" | "load"} op @param {readonly number[]} numbers */
  async run(op, numbers) {
    await this.#threads.run((thread, threads) => {
      const own = numbers.filter((_, i) => i % threads === thread);
      return { op, paths: own.map((number) => this.path(number)), offsets: own.map((number) => this.offset(number)) };
    });
  }

  close() {
    return this.#threads.close();
  }
}

/** @param {readonly BlockRequest[]} requests */
export function numbersOf(requests) {
  return requests.flatMap(({ numbers }) => numbers);
}
