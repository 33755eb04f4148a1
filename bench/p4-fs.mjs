import { performance } from "node:perf_hooks";
import { join } from "node:path";
import { bench } from "./lib/bench.mjs";
import { FilesByPromises, FilesByThreads, numbersOf } from "./lib/bare-files.mjs";
import { median, medianRound, race } from "./lib/race.mjs";
import { Stack } from "./lib/stack.mjs";
import { withFolder } from "./lib/with-folder.mjs";
import { Workload } from "./lib/workload.mjs";

/** Block sizes with a target for the ratio to `fs.promises`. */
const TARGETS = new Map([
  [64 * 2 ** 10, { min: 1.8 }],
  [2 ** 20, { min: 1.4 }],
]);
const LIMIT_TARGET = { min: 0.85 };
/** GB/s of vLLM's `fs` tier in Python with its best number of threads, on tmpfs, on another machine. */
const ORIGINAL = new Map([
  [64 * 2 ** 10, { store: 1.55, load: 3.73 }],
  [2 ** 20, { store: 6.33, load: 10.1 }],
]);
/** What is tried to find the best. */
const IN_FLIGHT = [2, 4, 8, 16, 32];
const TRIALS = 3;

await bench(async (report, { rounds, dir, sizes }) => {
  for (const blockBytes of [...TARGETS.keys(), ...sizes]) {
    await withFolder(dir, (folder) => compare(folder, new Workload(blockBytes)));
  }

  /** @param {string} folder @param {Workload} workload */
  async function compare(folder, workload) {
    const requests = workload.requests(0);
    const reading = workload.shuffledRequests(0);
    const [writeOrder, readOrder] = [numbersOf(requests), numbersOf(reading)];
    const stack = await Stack.open(workload, { type: "fs", root_dir: join(folder, "fs") });
    const promises = new FilesByPromises(join(folder, "promises"), workload);
    const threads = new FilesByThreads(join(folder, "threads"), workload);
    promises.fill();
    threads.fill();

    const storeInFlight = await best(async (inFlight) => {
      promises.clear();
      return timed(() => promises.store(writeOrder, inFlight));
    });
    const stores = await race(
      {
        ours: { before: () => stack.clear(), run: () => stack.store(requests) },
        promises: { before: () => promises.clear(), run: () => promises.store(writeOrder, storeInFlight) },
        threads: { before: () => threads.clear(), run: () => threads.run("store", writeOrder) },
      },
      { rounds, isAsync: true },
    );
    reportBoth("store", stores, storeInFlight);

    const loadInFlight = await best((inFlight) => timed(() => promises.load(readOrder, inFlight)));
    const loads = await race(
      {
        ours: { before: () => stack.forget(), run: () => stack.load(reading) },
        promises: {
          before: () => promises.wipe(),
          run: () => promises.load(readOrder, loadInFlight),
          after: () => promises.check(),
        },
        threads: {
          before: () => threads.wipe(),
          run: () => threads.run("load", readOrder),
          after: () => threads.check(),
        },
      },
      { rounds, isAsync: true },
    );
    reportBoth("load", loads, loadInFlight);
    await threads.close();
    await stack.close();

    /** @param {"store" | "load"} op @param {Record<"ours" | "promises" | "threads", number[]>} ms @param {number} inFlight */
    function reportBoth(op, { ours, promises, threads }, inFlight) {
      const figure = { id: "P4", size: workload.sizeName, op, unit: "GB/s" };
      const versus = (/** @type {number[]} */ theirs) => medianRound(ours, theirs, workload.gbPerS);
      const target = TARGETS.get(workload.blockBytes) ?? null;
      const remark = `fs.promises with ${inFlight} calls in flight`;
      report({ ...figure, against: "fs-promises", ...versus(promises), target, remark });
      report({ ...figure, against: "two-threads", ...versus(threads), target: LIMIT_TARGET });
      const original = ORIGINAL.get(workload.blockBytes)?.[op];
      if (original === undefined) return;
      const elsewhere = { ours: workload.gbPerS(median(ours)), theirs: original, target: null };
      report({ ...figure, against: "python-original", ...elsewhere, remark: "theirs on tmpfs, on another machine" });
    }
  }
});

/** The number of calls in flight that is fastest. @param {(inFlight: number) => Promise<number>} run milliseconds */
async function best(run) {
  /** @type {{ inFlight: number, ms: number }[]} */
  const trials = [];
  for (const inFlight of IN_FLIGHT) {
    for (let trial = 0; trial < TRIALS; trial++) trials.push({ inFlight, ms: await run(inFlight) });
  }
  trials.sort((a, b) => a.ms - b.ms);
  return trials[0]?.inFlight ?? 1;
}

/** @param {() => Promise<void>} work */
async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
