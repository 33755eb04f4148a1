import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { bench } from "./lib/bench.mjs";
import { diskTier, diskTiers } from "./lib/built-tiers.mjs";
import { Stack } from "./lib/stack.mjs";
import { gibOfRequests, transfer2GiB } from "./lib/transfer.mjs";
import { withFolder } from "./lib/with-folder.mjs";
import { Workload } from "./lib/workload.mjs";

const SIZES = [64 * 2 ** 10, 2 ** 20];
/** Milliseconds between two looks at the loop; and those of an idle loop that is looked at. */
const RESOLUTION = 1;
const IDLE = 2000;
const NS_PER_MS = 1e6;

await bench(async (report, { dir, sizes }) => {
  const types = await diskTiers();
  for (const type of /** @type {const} */ (["fs", "log"])) {
    for (const blockBytes of [...SIZES, ...sizes]) {
      const workload = new Workload(blockBytes);
      const figure = { id: "P6", size: workload.sizeName, op: type, against: null, unit: "ms", theirs: null };
      const target = { max: 2 };
      if (!types.includes(type)) report({ ...figure, ours: null, target, remark: "not built" });
      else {
        const { idle, busy } = await withFolder(dir, (folder) => delays(folder, type, workload));
        const remark = `p99 ${busy.toFixed(2)} ms, of an idle loop ${idle.toFixed(2)} ms`;
        report({ ...figure, ours: Math.max(0, busy - idle), target, remark });
      }
    }
  }
});

/** @param {string} folder @param {"fs" | "log"} type @param {Workload} workload */
async function delays(folder, type, workload) {
  const stack = await Stack.open(workload, diskTier(type, join(folder, type)));
  const requests = gibOfRequests(workload);
  const idle = await p99Delay(() => sleep(IDLE));
  const busy = await p99Delay(() => transfer2GiB(stack, requests));
  await stack.close();
  return { idle, busy };
}

/** Milliseconds. @param {() => Promise<void>} work */
async function p99Delay(work) {
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION });
  loop.enable();
  await work();
  loop.disable();
  return loop.percentile(99) / NS_PER_MS;
}
