import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { sizeName } from "./lib/arguments.mjs";
import { bench } from "./lib/bench.mjs";
import { diskTier, diskTiers } from "./lib/built-tiers.mjs";
import { inLanes } from "./lib/in-lanes.mjs";
import { PEER_SIZES, PEER_TARGET, peerFigures, peerWorkload } from "./lib/peer-figures.mjs";
import { filePeers } from "./lib/peers.mjs";
import { race } from "./lib/race.mjs";
import { Stack } from "./lib/stack.mjs";
import { withFolder } from "./lib/with-folder.mjs";

/** @import { Peer } from "./lib/peers.mjs" */

/** What is tried to find the best. */
const IN_FLIGHT = [1, 4, 16];

/** @typedef {(peer: Peer, inFlight: number) => Promise<{ overriddenDuration: number }>} Run */

await bench(async (report, { rounds, dir, sizes }) => {
  const types = await diskTiers();
  for (const blockBytes of [...PEER_SIZES, ...sizes]) {
    const figure = { id: "P9", size: sizeName(blockBytes), unit: "GB/s" };
    for (const type of /** @type {const} */ (["fs", "log"])) {
      const ops = { put: `${type}-put`, get: `${type}-get`, acquire: `${type}-acquire` };
      if (types.includes(type)) {
        const { puts, gets, toUnit } = await withFolder(dir, (folder) => compare(folder, type, blockBytes));
        const { ours: ourPuts = [], ...theirPuts } = puts;
        const { ours: ourGets = [], acquire = [], ...theirGets } = gets;
        const figures = [
          ...peerFigures({ ...figure, op: ops.put }, ourPuts, theirPuts, toUnit, PEER_TARGET),
          ...peerFigures({ ...figure, op: ops.get }, ourGets, theirGets, toUnit, PEER_TARGET),
          ...peerFigures({ ...figure, op: ops.acquire }, acquire, theirGets, toUnit, null),
        ];
        for (const measured of figures) report(measured);
      } else {
        const nothing = { against: "best-peer", ours: null, theirs: null, target: PEER_TARGET, remark: "not built" };
        for (const op of [ops.put, ops.get]) report({ ...figure, op, ...nothing });
      }
    }
  }

  /** @param {string} folder @param {"fs" | "log"} type @param {number} blockBytes */
  async function compare(folder, type, blockBytes) {
    const { workload, requests, entries } = peerWorkload(blockBytes);
    const stack = await Stack.open(workload, diskTier(type, join(folder, type)));
    const { cache } = stack;
    const peers = filePeers(folder);

    /** @param {readonly (Uint8Array | undefined)[]} blocks */
    const checkAll = (blocks) => {
      for (const { number } of entries) workload.content.check(number, blocks[number] ?? Buffer.alloc(0));
    };
    const put = () =>
      timed(async () => {
        await Promise.all(requests.map(({ keys, values }) => cache.put(keys, values)));
        await cache.flush();
      });
    const get = async () => {
      /** @type {Uint8Array[][]} */
      let got = [];
      const time = await timed(async () => void (got = await Promise.all(requests.map(({ keys }) => cache.get(keys)))));
      checkAll(got.flat());
      return time;
    };
    /** @type {Run} */
    const putPeer = (peer, inFlight) =>
      timed(() => inLanes(entries.values(), inFlight, ({ key, value }) => peer.set(key, value)));
    /** @type {Run} */
    const getPeer = async (peer, inFlight) => {
      /** @type {(Buffer | undefined)[]} */
      const got = [];
      const time = await timed(() =>
        inLanes(entries.values(), inFlight, async ({ key, number }) => void (got[number] = await peer.get(key))),
      );
      checkAll(got);
      return time;
    };

    const checkStored = () => {
      if (stack.bytesWritten % workload.bytes !== 0) throw new Error("Not everything was stored.");
    };
    const puts = await race(
      {
        ours: { before: () => stack.clear(), run: put, after: checkStored },
        ...(await contestants(peers, putPeer)),
      },
      { rounds, isAsync: true },
    );
    const gets = await race(
      {
        ours: { before: () => stack.forget(), run: get },
        // Without the copies that `get` makes: as a caller gets blocks that can read in place.
        acquire: { before: () => stack.forget(), run: () => stack.load(requests) },
        ...(await contestants(peers, getPeer)),
      },
      { rounds, isAsync: true },
    );
    await Promise.all(Object.values(peers).map((peer) => peer.close()));
    await stack.close();
    return { puts, gets, toUnit: workload.gbPerS };
  }
});

/** Each with the number of calls in flight that is best for it. @param {Readonly<Record<string, Peer>>} peers @param {Run} run */
async function contestants(peers, run) {
  /** @type {Record<string, { run: () => Promise<unknown> }>} */
  const result = {};
  for (const [name, peer] of Object.entries(peers)) {
    /** @type {{ inFlight: number, ms: number }[]} */
    const trials = [];
    for (const inFlight of IN_FLIGHT) trials.push({ inFlight, ms: (await run(peer, inFlight)).overriddenDuration });
    trials.sort((a, b) => a.ms - b.ms);
    result[name] = { run: () => run(peer, trials[0]?.inFlight ?? 1) };
  }
  return result;
}

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const start = performance.now();
  await work();
  return { overriddenDuration: performance.now() - start };
}
