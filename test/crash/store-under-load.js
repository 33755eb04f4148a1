import { on } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createTiering, silentLogger } from "kvtier";
import { KnownBlocks, seeded } from "../support/known-blocks.js";

/**
 * A process that is to be killed: verifies what others left in a tier, and then, when it is told to, stores and loads as
 * fast as it can. Plain JavaScript, because it starts hundreds of times.
 */
const POOL_BLOCKS = 16;
const [STORING_LANES, LOADING_LANES] = [3, 1];
/** All lanes together hold no more than the pool has. */
const LANE_BLOCKS = POOL_BLOCKS / (STORING_LANES + LOADING_LANES);

/** @type {unknown} */
const argument = JSON.parse(process.argv[2] ?? "");
const plan = /** @type {import("./messages.js").LoadPlan} */ (argument);
const known = new KnownBlocks(plan.blockBytes, plan.blocks);
const random = seeded(plan.seed);

/** @param {number} n */
const below = (n) => Math.floor(random() * n);
/** @param {number} from @param {number} count */
const range = (from, count) => Array.from({ length: count }, (_, i) => from + i);
/** @param {import("./messages.js").Report} report */
const say = (report) => void process.send?.(report);
/** @param {string} fault */
const sayFault = (fault) => say({ kind: "fault", fault });

const { cache, manager, close } = await createTiering(
  {
    cpu_bytes_to_use: POOL_BLOCKS * plan.blockBytes,
    block_bytes: plan.blockBytes,
    model: { name: "crash", dtype: "float16", tokens_per_block: 16 },
    secondary_tiers: [{ type: plan.type, root_dir: plan.root, ...plan.options }],
  },
  { logger: silentLogger },
);
const figures = () => cache.stats().tiers[0]?.figures ?? {};

/** @param {readonly number[]} ns */
async function put(ns) {
  await cache.put(
    ns.map((n) => known.keyOf(n)),
    ns.map((n) => known.bytesOf(n)),
  );
}

/** @param {readonly number[]} ns @returns {Promise<number>} how many of the blocks, from the first, are there */
async function load(ns) {
  const lease = await cache.acquire(ns.map((n) => known.keyOf(n)));
  lease.blocks.forEach((block, i) => {
    const n = ns[i] ?? -1;
    if (!known.isOwn(n, block)) sayFault(`block ${n} has a wrong byte, from ${lease.sources[i]}`);
  });
  lease.release();
  return lease.hits;
}

/** Every block one by one: of a prefix nothing would be heard after the first gap. Returns those that are there. */
async function verifyAll() {
  const held = [];
  for (let from = 0; from < plan.blocks; from += POOL_BLOCKS) {
    const ns = range(from, Math.min(POOL_BLOCKS, plan.blocks - from));
    const hits = await Promise.all(ns.map((n) => load([n])));
    held.push(...ns.filter((_, i) => hits[i] === 1));
    await manager.resetCache();
  }
  const { loadFailures = 0, evictions = 0 } = figures();
  if (!plan.isShared && loadFailures > 0 && evictions === 0)
    sayFault(`${loadFailures} blocks were reported and not to be had`);
  return held;
}

/**
 * Stores blocks that are not there, which are the last to be pushed out: a block that is there already may be among the
 * first. Returns them.
 *
 * @param {readonly number[]} held
 */
async function expectToStore(held) {
  const absent = range(0, plan.blocks).filter((n) => !held.includes(n));
  const from = below(absent.length - LANE_BLOCKS);
  const ns = absent.slice(from, from + LANE_BLOCKS);
  await put(ns);
  await cache.flush();
  await manager.resetCache();
  const hits = await load(ns);
  if (!plan.isShared && hits < ns.length) sayFault(`of ${ns.length} blocks that were stored, ${hits} are there`);
  return ns.slice(0, hits);
}

/** Without end. @param {(ns: readonly number[]) => Promise<unknown>} run */
async function runLane(run) {
  for (;;) {
    const count = 1 + below(LANE_BLOCKS);
    await run(range(below(plan.blocks - count), count));
    // What is answered at once, from memory, would else keep threads and timers waiting for ever.
    await nextTurn();
  }
}

const held = await verifyAll();
say({ kind: "verified", held });
for await (const [order] of /** @type {AsyncIterable<[import("./messages.js").Order]>} */ (on(process, "message"))) {
  if (order === "figures") say({ kind: "figures", figures: figures() });
  if (order === "store") say({ kind: "stored", blocks: await expectToStore(held) });
  if (order === "load") {
    for (let i = 0; i < STORING_LANES; i++) void runLane(put);
    for (let i = 0; i < LOADING_LANES; i++) void runLane(load);
  }
  if (order === "close") {
    await close();
    process.disconnect();
    break;
  }
}
