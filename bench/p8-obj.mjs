import { AwsSdk } from "./lib/aws-sdk.mjs";
import { bench } from "./lib/bench.mjs";
import { TierLookups } from "./lib/tier-lookups.mjs";
import { medianRound, nsEach, race } from "./lib/race.mjs";
import { Stack } from "./lib/stack.mjs";
import { Workload } from "./lib/workload.mjs";

const BLOCK_BYTES = 4 * 2 ** 20;
const ROUNDS = 9;
const TARGETS = { store: { min: 1.1 }, load: { min: 1.1 }, "look-up": { max: 1 / 3 } };
const LOOKUPS = 256;

const { S3_ENDPOINT, S3_BUCKET = "", S3_REGION = "us-east-1", S3_ACCESS_KEY = "", S3_SECRET_KEY = "" } = process.env;

await bench(async (report, { sizes }) => {
  for (const blockBytes of [BLOCK_BYTES, ...sizes]) {
    const workload = new Workload(blockBytes);
    if (S3_ENDPOINT !== undefined) await compare(S3_ENDPOINT, workload);
    else skipped(workload);
  }

  /** @param {string} endpoint @param {Workload} workload */
  async function compare(endpoint, workload) {
    const [access_key, secret_key, bucket, region] = [S3_ACCESS_KEY, S3_SECRET_KEY, S3_BUCKET, S3_REGION];
    const store_config = { bucket, endpoint_override: endpoint, region, access_key, secret_key };
    const tier = { type: "obj", store_config, prefix: "bench/ours" };
    const stack = await Stack.open(workload, tier);
    const sdk = new AwsSdk(store_config, "bench/sdk", workload);
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

    const lookups = await TierLookups.open(workload, tier, requests);
    const heads = await race(
      { ours: { run: () => lookups.run(LOOKUPS) }, sdk: { run: () => sdk.head(LOOKUPS) } },
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
