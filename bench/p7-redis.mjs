import { createClient } from "redis";
import { bench } from "./lib/bench.mjs";
import { inLanes } from "./lib/in-lanes.mjs";
import { PrivateRedis } from "./lib/private-redis.mjs";
import { medianRound, race } from "./lib/race.mjs";
import { Stack } from "./lib/stack.mjs";
import { Workload } from "./lib/workload.mjs";

/** @import { BlockRequest } from "./lib/workload.mjs" */

const KIB = 2 ** 10;
/** Block sizes, and whom each is to be how much as fast as. */
const TARGETS = new Map([
  [256 * KIB, { benchmark: null, client: { min: 0.9 } }],
  [2048 * KIB, { benchmark: { min: 0.8 }, client: null }],
]);
/** As the tier has them by default: connections, and calls of batches on each. */
const CONNECTIONS = 4;
const PER_CONNECTION = 4;
/** Calls in flight of the bare client, on its one connection. */
const IN_FLIGHT = 16;
const AS_BYTES = { typeMapping: { 36: Buffer } };
const POOL_PREFIX = "bare:";

await bench(async (report, { rounds, sizes }) => {
  const server = await PrivateRedis.start();
  try {
    for (const blockBytes of [...TARGETS.keys(), ...sizes]) {
      const workload = new Workload(blockBytes);
      if (server !== null) await compare(server, workload);
      else skipped(workload);
    }
  } finally {
    await server?.close();
  }

  /** @param {PrivateRedis} server @param {Workload} workload */
  async function compare(server, workload) {
    const stack = await Stack.open(workload, { type: "redis", url: server.url });
    const client = await createClient({ url: server.url }).connect();
    const requests = workload.requests(0);
    const reading = workload.shuffledRequests(0);
    const memory = workload.allocate();
    for (let n = 0; n < workload.blocks; n++) workload.content.fill(n, memory.block(n));

    const stores = await race(
      {
        ours: { before: () => stack.clear(), run: () => stack.store(requests) },
        client: {
          run: () =>
            inLanes(numbersOf(requests), IN_FLIGHT, (n) => client.set(POOL_PREFIX + n, bufferOf(memory.block(n)))),
        },
      },
      { rounds, isAsync: true },
    );
    const loads = await race(
      {
        ours: { before: () => stack.forget(), run: () => stack.load(reading) },
        client: {
          run: () =>
            inLanes(numbersOf(reading), IN_FLIGHT, async (n) => {
              const value = await client.sendCommand(["GET", POOL_PREFIX + n], AS_BYTES);
              if (!(value instanceof Buffer)) throw new Error("The client found no block.");
              memory.block(n).set(value);
            }),
        },
      },
      { rounds, isAsync: true },
    );
    const load = { bytes: workload.blockBytes, count: workload.blocks * 4, connections: CONNECTIONS };
    const limit = await server.benchmark({ ...load, pipeline: PER_CONNECTION });
    reportBoth("store", stores, limit.store);
    reportBoth("load", loads, limit.load);
    await stack.clear();
    await stack.close();
    client.destroy();

    /** @param {"store" | "load"} op @param {Record<"ours" | "client", number[]>} ms @param {number} limit */
    function reportBoth(op, { ours, client }, limit) {
      const figure = { id: "P7", size: workload.sizeName, op, unit: "GB/s" };
      const targets = TARGETS.get(workload.blockBytes);
      const versus = medianRound(ours, client, workload.gbPerS);
      report({ ...figure, against: "bare-client", ...versus, target: targets?.client ?? null });
      const benchmark = { ours: versus.ours, theirs: limit, target: targets?.benchmark ?? null };
      report({ ...figure, against: "redis-benchmark", ...benchmark });
    }
  }

  /** @param {Workload} workload */
  function skipped({ blockBytes, sizeName }) {
    const remark = "there is no redis-server on this machine";
    const none = { id: "P7", size: sizeName, unit: "GB/s", ours: null, theirs: null, remark };
    const { client = null, benchmark = null } = TARGETS.get(blockBytes) ?? {};
    for (const op of ["store", "load"]) {
      report({ ...none, op, against: "bare-client", target: client });
      report({ ...none, op, against: "redis-benchmark", target: benchmark });
    }
  }
});

/** @param {readonly BlockRequest[]} requests */
function numbersOf(requests) {
  return requests.flatMap(({ numbers }) => numbers).values();
}

/** @param {Uint8Array} block */
function bufferOf({ buffer, byteOffset, byteLength }) {
  return Buffer.from(buffer, byteOffset, byteLength);
}
