import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { numbersOf } from "./lib/bare-files.mjs";
import { BareSegments } from "./lib/bare-segments.mjs";
import { bench } from "./lib/bench.mjs";
import { diskTier, diskTiers, LOG_LAP_BYTES } from "./lib/built-tiers.mjs";
import { medianRound, race } from "./lib/race.mjs";
import { Stack } from "./lib/stack.mjs";
import { withFolder } from "./lib/with-folder.mjs";
import { Workload } from "./lib/workload.mjs";

const SIZES = [32 * 2 ** 10, 64 * 2 ** 10];
const TARGETS = { store: { min: 6 }, load: { min: 2.5 } };
const LIMIT_TARGET = { min: 0.8 };

/** @typedef {keyof typeof TARGETS} Op */

await bench(async (report, { rounds, dir, sizes }) => {
  const isBuilt = (await diskTiers()).includes("log");
  for (const blockBytes of [...SIZES, ...sizes]) {
    const workload = new Workload(blockBytes);
    const isTarget = SIZES.includes(blockBytes);
    /** @param {Op} op @param {(ours: "fs" | "segments") => { ours: number | null, theirs: number | null }} figures */
    const reportBoth = (op, figures) => {
      const figure = { id: "P5", size: workload.sizeName, op, unit: "GB/s", ...(!isBuilt && { remark: "not built" }) };
      report({ ...figure, against: "fs", ...figures("fs"), target: isTarget ? TARGETS[op] : null });
      report({ ...figure, against: "bare-segments", ...figures("segments"), target: isTarget ? LIMIT_TARGET : null });
    };
    if (isBuilt) await withFolder(dir, (folder) => compare(folder, workload, reportBoth));
    else
      for (const op of /** @type {const} */ (["store", "load"])) reportBoth(op, () => ({ ours: null, theirs: null }));
  }

  /**
   * @param {string} folder @param {Workload} workload
   * @param {(op: Op, figures: (ours: "fs" | "segments") => { ours: number, theirs: number }) => void} reportBoth
   */
  async function compare(folder, workload, reportBoth) {
    const log = await Stack.open(workload, diskTier("log", join(folder, "log")));
    const fs = await Stack.open(workload, diskTier("fs", join(folder, "fs")));
    await mkdir(join(folder, "segments"));
    const segments = new BareSegments(join(folder, "segments"), workload);
    await segments.ready();
    segments.fill();

    // The log gets other keys in each run, as what it holds already it does not store again.
    let run = 0;
    let requests = workload.requests(run);
    const nextRun = async () => {
      await log.forget();
      requests = workload.requests(++run);
    };
    for (let bytes = 0; bytes < LOG_LAP_BYTES; bytes += workload.bytes) {
      await nextRun();
      await log.store(requests);
    }

    const sameRequests = workload.requests(0);
    const stores = await race(
      {
        log: { before: nextRun, run: () => log.store(requests) },
        fs: { before: () => fs.clear(), run: () => fs.store(sameRequests) },
        segments: { run: () => segments.store() },
      },
      { rounds, isAsync: true },
    );
    reportBoth("store", (against) => medianRound(stores.log, stores[against], workload.gbPerS));

    const reading = workload.shuffledRequests(run);
    const sameReading = workload.shuffledRequests(0);
    const readOrder = numbersOf(reading);
    const loads = await race(
      {
        log: { before: () => log.forget(), run: () => log.load(reading) },
        fs: { before: () => fs.forget(), run: () => fs.load(sameReading) },
        segments: { before: () => segments.wipe(), run: () => segments.load(readOrder), after: () => segments.check() },
      },
      { rounds, isAsync: true },
    );
    reportBoth("load", (against) => medianRound(loads.log, loads[against], workload.gbPerS));
    await segments.close();
    await fs.close();
    await log.close();
  }
});
