import { join } from "node:path";
import { bench } from "./lib/bench.mjs";
import { inProcess } from "./lib/in-process.mjs";
import { medianRound } from "./lib/race.mjs";
import { withFolder } from "./lib/with-folder.mjs";

/** Starts of each are cheap; the more, the better. */
const STARTS_PER_ROUND = 2;

await bench(async (report, { rounds, dir }) => {
  /** @type {number[]} */
  const ours = [];
  /** @type {number[]} */
  const theirs = [];
  await withFolder(dir, async (folder) => {
    // The first start warms up the page cache.
    for (let start = 0; start <= rounds * STARTS_PER_ROUND; start++) {
      const our = Number(await inProcess("cold-start-ours.mjs", { folder: join(folder, "kv") }));
      const their = Number(await inProcess("cold-start-imports.mjs"));
      if (start > 0) {
        ours.push(our);
        theirs.push(their);
      }
    }
  });
  const figures = medianRound(ours, theirs, (ms) => ms);
  const figure = { id: "P10", size: "two-tiers", op: "start", against: "imports-alone", unit: "ms" };
  report({ ...figure, ...figures, target: { max: 1.3 } });
});
