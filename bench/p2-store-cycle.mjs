import { bench } from "./lib/bench.mjs";
import { createControlPlane } from "./lib/control-plane.mjs";
import { batchesOf, makeKeys } from "./lib/keys.mjs";
import { replaceBlocks, Ring } from "./lib/map-work.mjs";
import { medianRound, nsEach, race } from "./lib/race.mjs";

/** @import { EvictionPolicyName, OffloadKey, TieringOffloadingManager } from "kvtier" */

/** Blocks that one run stores; also the size of the pool. */
const BLOCKS = 65_536;
const RUNS_PER_ROUND = 3;

await bench(async (report, { rounds }) => {
  // Twice as many as the pool holds, so that each is gone again when its turn comes.
  const keys = makeKeys(2 * BLOCKS);
  for (const batch of [16, 256]) {
    const figure = { id: "P2", size: `b${batch}`, unit: "ns" };
    const lru = await whenFull(batch, "lru");
    const arc = await whenFull(batch, "arc");
    const empty = await fromEmpty(batch);
    const target = { max: 2.5 };
    report({ ...figure, op: "store", against: "map", ...lru, target });
    report({ ...figure, op: "store-arc", against: "map", ...arc, target: null });
    report({ ...figure, op: "store-from-empty", against: "map", ...empty, target: null });
  }

  /** Every block that is stored evicts another. @param {number} batch @param {EvictionPolicyName} policy */
  async function whenFull(batch, policy) {
    const { manager, close } = await createControlPlane(BLOCKS, { policy });
    const steps = stepsOf(batchesOf(keys, batch));
    const ourSteps = new Ring(steps);
    const mapSteps = new Ring(steps);
    const runs = steps.length / 2;
    /** @type {Map<OffloadKey, number>} */
    const map = new Map();
    const ms = await race(
      {
        ours: {
          run: () => {
            for (let i = 0; i < runs; i++) storeCycle(manager, ourSteps.next());
          },
          after: () => checkStored(manager),
        },
        map: {
          run: () => {
            for (let i = 0; i < runs; i++) replaceBlocks(map, mapSteps.next().keys, mapSteps.ahead(runs - 1).keys);
          },
        },
      },
      { rounds, iterations: RUNS_PER_ROUND },
    );
    if (map.size !== BLOCKS) throw new Error(`The map holds ${map.size} blocks.`);
    await close();
    return medianRound(ms.ours, ms.map, nsEach(BLOCKS));
  }

  /** The pool is emptied before each run; both sides' maps grow anew in it. @param {number} batch */
  async function fromEmpty(batch) {
    const { manager, close } = await createControlPlane(BLOCKS);
    const steps = stepsOf(batchesOf(keys.slice(0, BLOCKS), batch));
    /** @type {Map<OffloadKey, number>} */
    const index = new Map();
    /** @type {Map<OffloadKey, number>} */
    const pins = new Map();
    const ms = await race(
      {
        ours: {
          before: () => manager.resetCache(),
          run: () => {
            for (const step of steps) storeCycle(manager, step);
          },
          after: () => checkStored(manager),
        },
        map: {
          before: () => index.clear(),
          run: () => {
            for (const { keys: wanted } of steps) {
              for (const key of wanted) if (index.get(key) === undefined) index.set(key, index.size);
              for (const key of wanted) pins.set(key, index.get(key) ?? 0);
              for (const key of wanted) pins.delete(key);
            }
          },
        },
      },
      { rounds, iterations: RUNS_PER_ROUND },
    );
    await close();
    return medianRound(ms.ours, ms.map, nsEach(BLOCKS));
  }
});

/** @param {readonly OffloadKey[][]} batches */
function stepsOf(batches) {
  return batches.map((keys, i) => ({ keys, reqId: `request-${i}` }));
}

/**
 * A request's blocks into the pool and from there into the tier, in one step.
 *
 * @param {TieringOffloadingManager} manager @param {{ keys: readonly OffloadKey[], reqId: string }} step
 */
function storeCycle(manager, { keys, reqId }) {
  const ctx = { reqId };
  manager.onNewRequest(ctx);
  const plan = manager.prepareStore(keys, ctx);
  if (plan === null) throw new Error("The pool had no room.");
  manager.completeStore(plan.keysToStore, ctx);
  manager.onRequestFinished(ctx);
  manager.onScheduleEnd({ newReqIds: [reqId], preemptedReqIds: [] });
}

/** @param {TieringOffloadingManager} manager */
function checkStored(manager) {
  const { primary, tiers } = manager.getStats();
  if (primary.residentBlocks !== BLOCKS) throw new Error(`${primary.residentBlocks} of ${BLOCKS} blocks are resident.`);
  if (primary.busyBlocks !== 0) throw new Error(`${primary.busyBlocks} blocks are still in use.`);
  // Blocks are of one byte. Each run sends all of them on.
  if (tiers[0]?.activeCascades !== 0 || tiers[0].bytesWritten % BLOCKS !== 0)
    throw new Error("Blocks did not reach the tier.");
}
