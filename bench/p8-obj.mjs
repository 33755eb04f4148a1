import { Buffer } from "node:buffer";
import { setImmediate as turn } from "node:timers/promises";
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { createTiering } from "kvtier";
import { bench } from "./lib/bench.mjs";
import { inLanes } from "./lib/in-lanes.mjs";
import { medianRound, nsEach, race } from "./lib/race.mjs";
import { Stack } from "./lib/stack.mjs";
import { Workload } from "./lib/workload.mjs";

/** @import { BlockRequest } from "./lib/workload.mjs" */

const BLOCK_BYTES = 4 * 2 ** 20;
const ROUNDS = 9;
const TARGETS = { store: { min: 1.1 }, load: { min: 1.1 }, "look-up": { max: 1 / 3 } };
/** As the tier has them by default. */
const IN_FLIGHT = 4;
const LOOKUPS_IN_FLIGHT = 16;
const LOOKUPS = 256;
const PREFIX = "bench/";

const { S3_ENDPOINT, S3_BUCKET = "", S3_REGION = "us-east-1", S3_ACCESS_KEY = "", S3_SECRET_KEY = "" } = process.env;

await bench(async (report, { sizes }) => {
  for (const blockBytes of [BLOCK_BYTES, ...sizes]) {
    const workload = new Workload(blockBytes);
    if (S3_ENDPOINT !== undefined) await compare(S3_ENDPOINT, workload);
    else skipped(workload);
  }

  /** @param {string} endpoint @param {Workload} workload */
  async function compare(endpoint, workload) {
    const tier = tierOf(endpoint);
    const stack = await Stack.open(workload, tier);
    const sdk = new Sdk(endpoint, workload);
    const requests = workload.requests(0);
    const reading = workload.shuffledRequests(0);
    const stores = await race(
      {
        ours: { before: () => stack.clear(), run: () => stack.store(requests) },
        sdk: { run: () => sdk.store(requests) },
      },
      { rounds: ROUNDS, isAsync: true },
    );
    const loads = await race(
      {
        ours: { before: () => stack.forget(), run: () => stack.load(reading) },
        sdk: { run: () => sdk.load(reading) },
      },
      { rounds: ROUNDS, isAsync: true },
    );
    const figure = { id: "P8", size: workload.sizeName, against: "aws-sdk" };
    const transfer = { ...figure, unit: "GB/s" };
    report({
      ...transfer,
      op: "store",
      ...medianRound(stores.ours, stores.sdk, workload.gbPerS),
      target: targetOf("store"),
    });
    report({
      ...transfer,
      op: "load",
      ...medianRound(loads.ours, loads.sdk, workload.gbPerS),
      target: targetOf("load"),
    });

    const lookups = await LookUps.open(workload, tier, requests);
    const heads = await race(
      { ours: { run: () => lookups.run() }, sdk: { run: () => sdk.head() } },
      { rounds: ROUNDS, isAsync: true },
    );
    const each = medianRound(heads.ours, heads.sdk, (ms) => nsEach(LOOKUPS)(ms) / 1000);
    report({ ...figure, unit: "µs", op: "look-up", ...each, target: targetOf("look-up") });
    await lookups.close();
    await stack.clear();
    await stack.close();
    sdk.close();

    /** Of blocks of other sizes the figures are only reported. @param {keyof typeof TARGETS} op */
    function targetOf(op) {
      return workload.blockBytes === BLOCK_BYTES ? TARGETS[op] : null;
    }
  }

  /** @param {Workload} workload */
  function skipped({ sizeName }) {
    const remark = "no S3 server was given: set S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY and S3_SECRET_KEY";
    const none = { id: "P8", size: sizeName, against: "aws-sdk", ours: null, theirs: null, remark };
    report({ ...none, op: "store", unit: "GB/s", target: TARGETS.store });
    report({ ...none, op: "load", unit: "GB/s", target: TARGETS.load });
    report({ ...none, op: "look-up", unit: "µs", target: TARGETS["look-up"] });
  }
});

/** @param {string} endpoint */
function tierOf(endpoint) {
  const keys = { access_key: S3_ACCESS_KEY, secret_key: S3_SECRET_KEY };
  const store = { bucket: S3_BUCKET, endpoint_override: endpoint, region: S3_REGION, ...keys };
  return { type: "obj", store_config: store, prefix: `${PREFIX}ours` };
}

/** AWS's client, as an application would use it on a store that is not AWS's. */
class Sdk {
  #client;
  #memory;

  /** @param {string} endpoint @param {Workload} workload */
  constructor(endpoint, workload) {
    this.#client = new S3Client({
      endpoint,
      region: S3_REGION,
      forcePathStyle: true,
      credentials: { accessKeyId: S3_ACCESS_KEY, secretAccessKey: S3_SECRET_KEY },
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
    });
    this.#memory = workload.allocate();
    for (let n = 0; n < workload.blocks; n++) workload.content.fill(n, this.#memory.block(n));
  }

  /** @param {readonly BlockRequest[]} requests */
  async store(requests) {
    await inLanes(numbersOf(requests), IN_FLIGHT, async (n) => {
      const { buffer, byteOffset, byteLength } = this.#memory.block(n);
      await this.#client.send(new PutObjectCommand({ ...keyOf(n), Body: Buffer.from(buffer, byteOffset, byteLength) }));
    });
  }

  /** @param {readonly BlockRequest[]} requests */
  async load(requests) {
    await inLanes(numbersOf(requests), IN_FLIGHT, async (n) => {
      const { Body } = await this.#client.send(new GetObjectCommand(keyOf(n)));
      if (Body === undefined) throw new Error("The client found no block.");
      this.#memory.block(n).set(await Body.transformToByteArray());
    });
  }

  async head() {
    await inLanes(Array.from({ length: LOOKUPS }, () => 0).values(), LOOKUPS_IN_FLIGHT, async (n) => {
      await this.#client.send(new HeadObjectCommand(keyOf(n)));
    });
  }

  close() {
    this.#client.destroy();
  }
}

/** Look-ups by the tier alone: a cache would go on and load. */
class LookUps {
  #tiering;
  #tier;
  #keys;
  #runs = 0;

  /** @param {Workload} workload @param {Readonly<Record<string, unknown>>} config @param {readonly BlockRequest[]} requests */
  static async open({ blockBytes }, config, requests) {
    const model = { name: "bench", dtype: "float16", tokens_per_block: 16 };
    const tiering = await createTiering({ cpu_bytes_to_use: blockBytes, block_bytes: blockBytes, model });
    const tier = await tiering.factory.createSecondaryTier(config);
    return new LookUps(
      tiering,
      tier,
      requests.flatMap(({ keys }) => keys),
    );
  }

  /** @param {import("kvtier").Tiering} tiering @param {import("kvtier").SecondaryTierManager} tier @param {import("kvtier").OffloadKey[]} keys */
  constructor(tiering, tier, keys) {
    this.#tiering = tiering;
    this.#tier = tier;
    this.#keys = keys;
  }

  /** Each request asks for every block, once: what is known already is not asked for again. */
  async run() {
    for (let asked = 0; asked < LOOKUPS; asked += this.#keys.length) {
      const request = { reqId: `run-${this.#runs++}` };
      const keys = this.#keys.slice(0, LOOKUPS - asked);
      const isPending = () => keys.map((key) => this.#tier.lookup(key, request)).some((verdict) => verdict === "retry");
      isPending();
      this.#tier.onScheduleEnd({ newReqIds: [], preemptedReqIds: [] });
      while (isPending()) await turn();
      if (keys.some((key) => this.#tier.lookup(key, request) !== "hit")) throw new Error("A block was not found.");
      this.#tier.onRequestFinished(request);
    }
  }

  close() {
    return this.#tiering.close();
  }
}

/** @param {number} n */
function keyOf(n) {
  return { Bucket: S3_BUCKET, Key: `${PREFIX}sdk/${n}` };
}

/** @param {readonly BlockRequest[]} requests */
function numbersOf(requests) {
  return requests.flatMap(({ numbers }) => numbers).values();
}
