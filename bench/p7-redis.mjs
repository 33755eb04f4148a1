import { bench } from "./lib/bench.mjs";
import { BareRedis } from "./lib/bare-redis.mjs";
import { PrivateRedis } from "./lib/private-redis.mjs";
import { medianRound, race } from "./lib/race.mjs";
import { Stack } from "./lib/stack.mjs";
import { Workload } from "./lib/workload.mjs";

const KIB = 2 ** 10;
/** Block sizes, and whom each is to be how much as fast as. */
const TARGETS = new Map([
  [256 * KIB, { benchmark: null, client: { min: 0.9 } }],
  [2048 * KIB, { benchmark: { min: 0.8 }, client: null }],
]);
/** As the tier has them by default: connections, commands on each, and bytes that are under way in all. */
const CONNECTIONS = 4;
const PER_CONNECTION = 4;
const IN_FLIGHT_BYTES = 8 * 2 ** 20;

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
    const inFlight = inFlightOf(workload);
    const client = await BareRedis.open(server.url, workload, { inFlight, isChecked: false });
    const checked = await BareRedis.open(server.url, workload, { inFlight, isChecked: true });
    const requests = workload.requests(0);
    const reading = workload.shuffledRequests(0);

    const stores = await race(
      {
        ours: { before: () => stack.clear(), run: () => stack.store(requests) },
        client: { before: () => client.clear(requests), run: () => client.store(requests) },
        checked: { before: () => checked.clear(requests), run: () => checked.store(requests) },
      },
      { rounds, isAsync: true },
    );
    const loads = await race(
      {
        ours: { before: () => stack.forget(), run: () => stack.load(reading) },
        client: { run: () => client.load(reading) },
        checked: { run: () => checked.load(reading) },
      },
      { rounds, isAsync: true },
    );
    const load = { bytes: workload.blockBytes, count: workload.blocks * 4, connections: CONNECTIONS };
    const limit = await server.benchmark({ ...load, pipeline: Math.max(1, Math.floor(inFlight / CONNECTIONS)) });
    reportAll("store", stores, limit.store);
    reportAll("load", loads, limit.load);
    await stack.clear();
    await stack.close();
    client.close();
    checked.close();

    /** @param {"store" | "load"} op @param {Record<"ours" | "client" | "checked", number[]>} ms @param {number} limit */
    function reportAll(op, { ours, client, checked }, limit) {
      const figure = { id: "P7", size: workload.sizeName, op, unit: "GB/s" };
      const targets = TARGETS.get(workload.blockBytes);
      const versus = medianRound(ours, client, workload.gbPerS);
      report({ ...figure, against: "bare-client", ...versus, target: targets?.client ?? null });
      const sameWork = medianRound(ours, checked, workload.gbPerS);
      report({ ...figure, against: "checked-client", ...sameWork, target: null });
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
      report({ ...none, op, against: "checked-client", target: null });
      report({ ...none, op, against: "redis-benchmark", target: benchmark });
    }
  }
});

/** Commands that the tier has out at once. @param {Workload} workload */
function inFlightOf({ blockBytes }) {
  return Math.min(CONNECTIONS * PER_CONNECTION, Math.max(3, Math.floor(IN_FLIGHT_BYTES / blockBytes)));
}
