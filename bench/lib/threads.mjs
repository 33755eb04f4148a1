import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** Threads that are each given a share of the work and a message when to begin. */
export class Threads {
  #workers;

  /** @param {readonly Worker[]} workers */
  constructor(workers) {
    this.#workers = workers;
  }

  /** @param {string} file below `workers` @param {readonly object[]} datas one for each thread */
  static start(file, datas) {
    const url = new URL(`../workers/${file}`, import.meta.url);
    return new Threads(datas.map((workerData) => new Worker(url, { workerData })));
  }

  /** Until each has sent a message. A thread that fails rejects. */
  async replies() {
    await Promise.all(this.#workers.map((worker) => once(worker, "message")));
  }

  /** @param {(thread: number, threads: number) => object} taskOf */
  async run(taskOf) {
    const replies = this.replies();
    for (const [thread, worker] of this.#workers.entries()) worker.postMessage(taskOf(thread, this.#workers.length));
    await replies;
  }

  async close() {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
