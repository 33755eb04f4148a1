import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { createTiering, makeOffloadKey } from "kvtier";
import { bench } from "./lib/bench.mjs";
import { median } from "./lib/race.mjs";

/** @import { OffloadKey, Tiering } from "kvtier" */

const POOL_BLOCKS = 1_000;
/** Seconds that the original, vLLM's own classes in Python, took on another machine. */
const ORIGINAL_S = 0.29;

await bench(async (report, { rounds, trace }) => {
  const figure = { id: "P13", size: "pool1000", op: "replay", against: "python-original", unit: "s", target: null };
  if (trace === null) {
    report({ ...figure, ours: null, theirs: null, remark: "needs --trace or KVTIER_BENCH_TRACE" });
    return;
  }
  const requests = await readTrace(trace);
  const expected = expectedHits(requests);
  /** @type {number[]} */
  const seconds = [];
  for (let round = 0; round <= rounds; round++) {
    const { hits, elapsed } = await replay(requests);
    if (hits !== expected) throw new Error(`${hits} blocks were found, not ${expected}.`);
    if (round > 0) seconds.push(elapsed);
  }
  const remark = `${requests.length} requests, ${expected} blocks found; the original ran on another machine`;
  report({ ...figure, ours: median(seconds), theirs: ORIGINAL_S, remark });
});

/** @param {string} path @returns {Promise<OffloadKey[][]>} */
async function readTrace(path) {
  /** @type {Map<number, OffloadKey>} */
  const keys = new Map();
  const keyOf = (/** @type {number} */ id) => {
    const key = keys.get(id) ?? makeOffloadKey(createHash("sha256").update(String(id)).digest());
    keys.set(id, key);
    return key;
  };
  const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const { hash_ids: ids } = /** @type {{ hash_ids: number[] }} */ (JSON.parse(line));
    return ids.map(keyOf);
  });
}

/** One request after the other, with blocks of one byte: nothing but bookkeeping. @param {OffloadKey[][]} requests */
async function replay(requests) {
  const tiering = await createTiering(
    {
      cpu_bytes_to_use: POOL_BLOCKS,
      block_bytes: 1,
      model: { name: "bench", dtype: "float16", tokens_per_block: 512 },
      secondary_tiers: [{ type: "example" }],
    },
    { logger: { debug() {}, info() {}, warn: console.warn, error: console.error } },
  );
  let hits = 0;
  const start = performance.now();
  for (const [i, keys] of requests.entries()) hits += await play(tiering, keys, String(i));
  const elapsed = (performance.now() - start) / 1e3;
  await tiering.close();
  return { hits, elapsed };
}

/** @param {Tiering} tiering @param {readonly OffloadKey[]} keys @param {string} reqId */
async function play({ cache, manager }, keys, reqId) {
  const lease = await cache.acquire(keys, { requestId: reqId });
  const { hits } = lease;
  const rest = keys.slice(hits, POOL_BLOCKS);
  if (rest.length > 0) {
    const ticket = cache.reserve(rest, { requestId: reqId });
    if (ticket === null) throw new Error("The pool had no room.");
    ticket.commit();
    await cache.flush();
  }
  lease.release();
  manager.touch(keys, { reqId });
  return hits;
}

/** What a tier without a bound serves: everything that was stored before, as far as the pool can hold it at once. */
function expectedHits(/** @type {OffloadKey[][]} */ requests) {
  /** @type {Set<OffloadKey>} */
  const stored = new Set();
  let hits = 0;
  for (const keys of requests) {
    const fitting = keys.slice(0, POOL_BLOCKS);
    const miss = fitting.findIndex((key) => !stored.has(key));
    hits += miss === -1 ? fitting.length : miss;
    for (const key of fitting) stored.add(key);
  }
  return hits;
}
