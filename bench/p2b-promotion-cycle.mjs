import { LookupResult } from "kvtier";
import { bench } from "./lib/bench.mjs";
import { createControlPlane } from "./lib/control-plane.mjs";
import { batchesOf, makeKeys } from "./lib/keys.mjs";
import { replaceBlocks, Ring } from "./lib/map-work.mjs";
import { medianRound, nsEach, race } from "./lib/race.mjs";

/** @import { OffloadKey, TieringOffloadingManager } from "kvtier" */

/** Blocks that one run promotes; also the size of the pool, which is full. */
const BLOCKS = 65_536;
const RUNS_PER_ROUND = 3;

await bench(async (report, { rounds }) => {
  // Twice as many as the pool holds, so that each is gone again when its turn comes.
  const keys = makeKeys(2 * BLOCKS);
  for (const batch of [16, 256]) {
    const { manager, close } = await createControlPlane(BLOCKS);
    const steps = batchesOf(keys, batch).map((wanted, i) => ({ keys: wanted, reqId: `request-${i}` }));
    const ourSteps = new Ring(steps);
    const mapSteps = new Ring(steps);
    const runs = steps.length / 2;
    /** @type {Map<OffloadKey, number>} */
    const map = new Map();
    let hits = 0;
    const ms = await race(
      {
        ours: {
          before: () => void (hits = 0),
          run: () => {
            for (let i = 0; i < runs; i++) hits += promotionCycle(manager, ourSteps.next());
          },
          after: () => {
            if (hits !== BLOCKS) throw new Error(`${hits} of ${BLOCKS} blocks were promoted.`);
          },
        },
        map: {
          run: () => {
            for (let i = 0; i < runs; i++) replaceBlocks(map, mapSteps.next().keys, mapSteps.ahead(runs - 1).keys);
          },
        },
      },
      { rounds, iterations: RUNS_PER_ROUND },
    );
    await close();
    const { ours, theirs } = medianRound(ms.ours, ms.map, nsEach(BLOCKS));
    const figure = { id: "P2b", size: `b${batch}`, op: "promote", against: "map", unit: "ns" };
    report({ ...figure, ours, theirs, target: { max: 4 } });
  }
});

/**
 * A request that finds its blocks in the tier, waits a step for them, and reads them in the pool.
 *
 * @param {TieringOffloadingManager} manager @param {{ keys: readonly OffloadKey[], reqId: string }} step
 * @returns {number} blocks that could be read
 */
function promotionCycle(manager, { keys, reqId }) {
  const ctx = { reqId };
  const step = { newReqIds: [reqId], preemptedReqIds: [] };
  manager.onNewRequest(ctx);
  for (const key of keys) manager.lookup(key, ctx);
  manager.onScheduleEnd(step);
  let hits = 0;
  for (const key of keys) if (manager.lookup(key, ctx) === LookupResult.Hit) hits++;
  manager.prepareLoad(keys, ctx);
  manager.completeLoad(keys, ctx);
  manager.onRequestFinished(ctx);
  manager.onScheduleEnd(step);
  return hits;
}
