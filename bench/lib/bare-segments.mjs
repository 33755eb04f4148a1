import { join } from "node:path";
import { Threads } from "./threads.mjs";

/** @import { Workload } from "./workload.mjs" */

const THREADS = 2;
/** Runs that the segments hold before they begin again. */
const RUNS = 4;

/** Segment files that are kept open, one for each of two threads, by `writev` and `pread`: the limit of a log. */
export class BareSegments {
  #threads;
  #workload;
  #share;
  #run = 0;
  view;

  /** @param {string} folder @param {Workload} workload */
  constructor(folder, workload) {
    this.#workload = workload;
    this.view = workload.allocate();
    this.#share = Math.ceil(workload.blocks / THREADS);
    const paths = Array.from({ length: THREADS }, (_, thread) => join(folder, `segment-${thread}`));
    const data = {
      buffer: this.view.slabs[0]?.buffer,
      blockBytes: workload.blockBytes,
      segmentBlocks: RUNS * this.#share,
    };
    this.#threads = Threads.start(
      "segment-loop.mjs",
      paths.map((path) => ({ ...data, path })),
    );
  }

  /** Until the segments are written to their ends. */
  ready() {
    return this.#threads.replies();
  }

  /** Stores all blocks, over those of some runs ago. */
  async store() {
    this.#run = (this.#run + 1) % RUNS;
    await this.#move(
      "store",
      Array.from({ length: this.#workload.blocks }, (_, i) => i),
    );
  }

  /** Loads what the last run stored. @param {readonly number[]} numbers */
  async load(numbers) {
    await this.#move("load", numbers);
  }

  fill() {
    for (let i = 0; i < this.#workload.blocks; i++) this.#workload.content.fill(i, this.view.block(i));
  }

  wipe() {
    for (let i = 0; i < this.#workload.blocks; i++) this.view.block(i).fill(0);
  }

  check() {
    for (let i = 0; i < this.#workload.blocks; i++) this.#workload.content.check(i, this.view.block(i));
  }

  close() {
    return this.#threads.close();
  }

  /** Each thread has a half of the blocks. @param {"store" | "load"} op @param {readonly number[]} numbers */
  async #move(op, numbers) {
    const first = this.#run * this.#share;
    await this.#threads.run((thread) => {
      const own = numbers.filter((number) => Math.floor(number / this.#share) === thread);
      return {
        op,
        slots: own.map((number) => first + (number % this.#share)),
        offsets: own.map((number) => this.view.locate(number).byteOffset),
      };
    });
  }
}
