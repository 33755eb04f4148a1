import { PrimaryKvView } from "kvtier";
import { bench } from "./lib/bench.mjs";
import { createControlPlane } from "./lib/control-plane.mjs";
import { batchesOf, makeKeys } from "./lib/keys.mjs";

const BLOCKS = 1_000_000;
const STEP = 1_000;

await bench(async (report) => {
  const keys = makeKeys(BLOCKS);
  // Classes and code are loaded by now, and are not what is weighed.
  await (await createControlPlane(STEP)).close();
  for (const policy of /** @type {const} */ (["lru", "arc"])) {
    const view = PrimaryKvView.allocate(BLOCKS, 1);
    const before = usedBytes();
    const { manager, close } = await createControlPlane(BLOCKS, { policy, primaryKvView: view });
    for (const [i, batch] of batchesOf(keys, STEP).entries()) {
      const ctx = { reqId: String(i) };
      const plan = manager.prepareStore(batch, ctx);
      manager.completeStore(plan?.keysToStore ?? [], ctx);
      manager.onRequestFinished(ctx);
      manager.onScheduleEnd({ newReqIds: [], preemptedReqIds: [] });
    }
    const ours = (usedBytes() - before) / BLOCKS;
    const { residentBlocks } = manager.getStats().primary;
    if (residentBlocks !== BLOCKS) throw new Error(`${residentBlocks} of ${BLOCKS} blocks are resident.`);
    await close();
    const unit = "B per block";
    report({ id: "P3", size: "1M", op: policy, against: null, unit, ours, theirs: null, target: { max: 160 } });
  }
});

/** Bytes of live objects and of the memory that they own. */
function usedBytes() {
  if (globalThis.gc === undefined) throw new Error("Run this with --expose-gc.");
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
