import { LookupResult } from "kvtier";
import { bench } from "./lib/bench.mjs";
import { importPrimaryTier } from "./lib/built.mjs";
import { createControlPlane } from "./lib/control-plane.mjs";
import { makeKeys, shuffled } from "./lib/keys.mjs";
import { medianRound, nsEach, race } from "./lib/race.mjs";

/** @import { OffloadKey } from "kvtier" */

const BLOCKS = 1_000_000;
const HOT_KEYS = 16;
/** Look-ups of one run. */
const CHUNK = 16_384;
const MS_PER_ROUND = 60;

/** A walk through `keys`, chunk by chunk, round and round. @param {readonly OffloadKey[]} keys @param {(key: OffloadKey) => boolean} look */
function walk(keys, look) {
  let next = 0;
  let misses = 0;
  return {
    run: () => {
      for (let i = 0; i < CHUNK; i++) {
        const key = keys[next];
        if (key === undefined || !look(key)) misses++;
        if (++next === keys.length) next = 0;
      }
    },
    misses: () => misses,
  };
}

await bench(async (report, { rounds }) => {
  const { PrimaryTier } = await importPrimaryTier();
  const keys = makeKeys(BLOCKS);
  const pool = new PrimaryTier({ numBlocks: BLOCKS, evictionPolicy: "lru", recordEvents: false });
  const map = new Map(keys.map((key, slot) => [key, slot]));
  pool.prepareStore(keys);
  pool.completeStore(keys, true);

  const inPool = (/** @type {OffloadKey} */ key) => pool.lookup(key) === LookupResult.Hit;
  const inMap = (/** @type {OffloadKey} */ key) => map.get(key) !== undefined;
  const orders = { hot: keys.slice(0, HOT_KEYS), random: shuffled(keys) };
  for (const [op, order] of Object.entries(orders)) {
    const ours = walk(order, inPool);
    const theirs = walk(order, inMap);
    const ms = await race({ ours, theirs }, { rounds, time: MS_PER_ROUND });
    if (ours.misses() + theirs.misses() > 0) throw new Error("A block that is resident was not found.");
    report({
      id: "P1",
      size: "1M",
      op,
      against: "map",
      unit: "ns",
      ...medianRound(ms.ours, ms.theirs, nsEach(CHUNK)),
      target: { max: 2 },
    });
  }

  report({ ...allocation(() => walk(orders.random, inPool)), target: { max: 0 } });
  await throughOrchestrator();

  /** What a request pays that has not asked before: its own record of the key, too. */
  async function throughOrchestrator() {
    const { manager, close } = await createControlPlane(BLOCKS);
    const storing = { reqId: "store" };
    manager.prepareStore(keys, storing);
    manager.completeStore(keys, storing);
    manager.onRequestFinished(storing);
    manager.onScheduleEnd({ newReqIds: [], preemptedReqIds: [] });
    let ctx = { reqId: "0" };
    let requests = 0;
    const first = walk(orders.random, (key) => manager.lookup(key, ctx) === LookupResult.Hit);
    const ours = {
      run: first.run,
      before: () => void (ctx = { reqId: String(++requests) }),
      after: () => {
        manager.onRequestFinished(ctx);
        manager.onScheduleEnd({ newReqIds: [], preemptedReqIds: [] });
      },
    };
    const theirs = walk(orders.random, inMap);
    const ms = await race({ ours, theirs }, { rounds, time: MS_PER_ROUND });
    if (first.misses() > 0) throw new Error("A block that is resident was not found.");
    report({
      id: "P1",
      size: "1M",
      op: "random-by-manager",
      against: "map",
      unit: "ns",
      ...medianRound(ms.ours, ms.theirs, nsEach(CHUNK)),
      target: null,
    });
    await close();
  }
});

/** Bytes that a look-up leaves on the heap. @param {() => ReturnType<typeof walk>} start */
function allocation(start) {
  const { run } = start();
  const chunks = 16;
  const grown = () => {
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < chunks; i++) run();
    return process.memoryUsage().heapUsed - before;
  };
  // The least of several: the engine's own business, such as compiled code, is not every time.
  globalThis.gc?.();
  const bytes = Math.min(...Array.from({ length: 5 }, grown)) / (chunks * CHUNK);
  const ours = Math.max(0, Number(bytes.toFixed(1)));
  return { id: "P1", size: "1M", op: "allocation", against: null, unit: "B per look-up", ours, theirs: null };
}
