import { LookupResult } from "kvtier";
import { bench } from "./lib/bench.mjs";
import { importPrimaryTier } from "./lib/built.mjs";
import { batchesOf, makeKeys, SeededWords } from "./lib/keys.mjs";
import { replaceBlocks, Ring } from "./lib/map-work.mjs";
import { medianRound, nsEach, race } from "./lib/race.mjs";

/** @import { OffloadKey } from "kvtier" */

/** Known blocks, by the name of the figure. */
const SIZES = { "10k": 10_000, "100k": 100_000, "1M": 1_000_000, "10M": 10_000_000 };
/** Blocks beside those that are known: what is stored next. */
const NEW_BLOCKS = 65_536;
const BATCH = 16;
/** Look-ups of one run, and stores of one run. */
const LOOKUPS = 65_536;
const STORES = 16_384;
/**
 * Runs of a round. A `Map` holds at most 2^24 entries, those deleted since it was last rehashed among them: with 10 M
 * known blocks, all rounds together must store fewer than 6 M.
 */
const RUNS = 4;

await bench(async (report, { rounds }) => {
  const { PrimaryTier } = await importPrimaryTier();
  const allKeys = makeKeys(SIZES["10M"] + NEW_BLOCKS);
  for (const [size, blocks] of Object.entries(SIZES)) {
    // A ring: the key whose turn it is was evicted `NEW_BLOCKS` stores ago.
    const keys = allKeys.slice(0, blocks + NEW_BLOCKS);
    const batches = batchesOf(keys, BATCH).filter((batch) => batch.length === BATCH);
    const known = Math.floor(blocks / BATCH);
    const pool = new PrimaryTier({ numBlocks: known * BATCH, evictionPolicy: "lru", recordEvents: false });
    /** @type {Map<OffloadKey, number>} */
    const map = new Map();
    for (const batch of batches.slice(0, known)) {
      pool.prepareStore(batch);
      pool.completeStore(batch, true);
      for (const key of batch) map.set(key, map.size);
    }

    const words = new SeededWords(3);
    const order = Array.from({ length: 4 * LOOKUPS }, () => keys[words.below(known * BATCH)]).filter(
      (key) => key !== undefined,
    );
    const lookups = await race(
      {
        ours: lookupsIn(order, (key) => pool.lookup(key) === LookupResult.Hit),
        theirs: lookupsIn(order, (key) => map.get(key) !== undefined),
      },
      { rounds, iterations: RUNS },
    );
    report(figure(size, "lookup", medianRound(lookups.ours, lookups.theirs, nsEach(LOOKUPS))));

    const ourBatches = new Ring(batches, known);
    const mapBatches = new Ring(batches, known);
    const ours = {
      run: () => {
        for (let i = 0; i < STORES / BATCH; i++) {
          const batch = ourBatches.next();
          pool.prepareStore(batch);
          pool.completeStore(batch, true);
        }
      },
    };
    const theirs = {
      run: () => {
        for (let i = 0; i < STORES / BATCH; i++) {
          const batch = mapBatches.next();
          replaceBlocks(map, batch, mapBatches.ahead(batches.length - known - 1));
        }
      },
    };
    const stores = await race({ ours, theirs }, { rounds, iterations: RUNS });
    if (map.size !== pool.residentBlocks)
      throw new Error(`The pool has ${pool.residentBlocks} blocks, not ${map.size}.`);
    report(figure(size, "store", medianRound(stores.ours, stores.theirs, nsEach(STORES))));
  }
});

/** @param {readonly OffloadKey[]} order @param {(key: OffloadKey) => boolean} look */
function lookupsIn(order, look) {
  let next = 0;
  let hits = 0;
  return {
    before: () => void (hits = 0),
    run: () => {
      for (let i = 0; i < LOOKUPS; i++) {
        const key = order[next];
        if (key !== undefined && look(key)) hits++;
        if (++next === order.length) next = 0;
      }
    },
    after: () => {
      if (hits !== LOOKUPS) throw new Error("A known block was not found.");
    },
  };
}

/** @param {string} size @param {string} op @param {{ ours: number, theirs: number }} ns */
function figure(size, op, ns) {
  return { id: "P12", size, op, against: "map", unit: "ns", ...ns, target: { max: 2 } };
}
