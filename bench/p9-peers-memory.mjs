import { join } from "node:path";
import { bench } from "./lib/bench.mjs";
import { diskTier } from "./lib/built-tiers.mjs";
import { PEER_SIZES, PEER_TARGET, peerFigures, peerWorkload } from "./lib/peer-figures.mjs";
import { memoryPeers } from "./lib/peers.mjs";
import { race } from "./lib/race.mjs";
import { Stack } from "./lib/stack.mjs";
import { withFolder } from "./lib/with-folder.mjs";

/** @import { OffloadKey } from "kvtier" */
/** @import { Peer } from "./lib/peers.mjs" */

/** Passes over all blocks in one run. */
const PASSES = 8;

await bench(async (report, { rounds, dir, sizes }) => {
  for (const blockBytes of [...PEER_SIZES, ...sizes]) await withFolder(dir, (folder) => compare(folder, blockBytes));

  /** @param {string} folder @param {number} blockBytes */
  async function compare(folder, blockBytes) {
    const { workload, requests, entries } = peerWorkload(blockBytes);
    const stack = await Stack.open(workload, diskTier("fs", join(folder, "fs")));
    const peers = memoryPeers();
    for (const { keys, values } of requests) await stack.cache.put(keys, values);
    await stack.cache.flush();
    for (const peer of Object.values(peers)) for (const { key, value } of entries) await peer.set(key, value);

    /** @param {readonly OffloadKey[]} keys */
    const acquire = async (keys) => {
      const lease = await stack.cache.acquire(keys);
      const { hits } = lease;
      lease.release();
      return hits;
    };
    /** @param {Peer} peer @param {OffloadKey} key */
    const has = async (peer, key) => ((await peer.get(key)) === undefined ? 0 : 1);
    // As requests do it, all blocks of one at a time; and one block after the other.
    const whole = {
      ours: () => Promise.all(requests.map(({ keys }) => acquire(keys))),
      theirs: (/** @type {Peer} */ peer) => Promise.all(entries.map(({ key }) => has(peer, key))),
    };
    const single = {
      ours: () => oneByOne((key) => acquire([key])),
      theirs: (/** @type {Peer} */ peer) => oneByOne((key) => has(peer, key)),
    };
    await measure("hit-prefix", whole, PEER_TARGET);
    await measure("hit-single", single, null);
    await stack.close();

    /**
     * @param {string} op
     * @param {{ ours: () => Promise<number[]>, theirs: (peer: Peer) => Promise<number[]> }} way hits of one pass
     * @param {typeof PEER_TARGET | null} target
     */
    async function measure(op, way, target) {
      const run = (/** @type {() => Promise<number[]>} */ pass) => async () => {
        let hits = 0;
        for (let i = 0; i < PASSES; i++) for (const found of await pass()) hits += found;
        if (hits !== PASSES * workload.blocks) throw new Error("A block that is in memory was not found.");
      };
      const contestants = Object.entries(peers).map(
        ([name, peer]) => /** @type {const} */ ([name, { run: run(() => way.theirs(peer)) }]),
      );
      const { ours = [], ...theirs } = await race(
        { ours: { run: run(way.ours) }, ...Object.fromEntries(contestants) },
        { rounds, isAsync: true },
      );
      const perUs = (/** @type {number} */ ms) => (PASSES * workload.blocks) / ms / 1e3;
      const subject = { id: "P9", size: workload.sizeName, op, unit: "M blocks/s" };
      for (const figure of peerFigures(subject, ours, theirs, perUs, target)) report(figure);
    }

    /** @param {(key: OffloadKey) => Promise<number>} look */
    async function oneByOne(look) {
      const hits = [];
      for (const { key } of entries) hits.push(await look(key));
      return hits;
    }
  }
});
