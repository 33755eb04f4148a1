import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import type { SecondaryTierManager } from "../../src/contracts/secondary-tier-manager.js";
import { createTiering, type SecondaryTierInput } from "../../src/index.js";
import { TierRig } from "../../src/testing/conformance/tier-rig.js";
import { describeSecondaryTier } from "../../src/testing/index.js";
import type { ObjStoreConfig } from "../../src/tiers/obj/store-config.js";
import { FaultProxy, type ProxyFault } from "../support/fault-proxy.js";
import { makeObjTier } from "../support/obj/make-obj-tier.js";
import { describeRgw, Rgw } from "../support/obj/rgw.js";
import { storeInOtherProcess } from "../support/obj/run-obj-process.js";
import { underLoad } from "../support/tier-load.js";
import { until } from "../support/until.js";
import { errorOf } from "../support/tiering-container.js";

const runner = { describe, it, expect };
const START_MS = 300_000;

describeRgw("on Ceph's object gateway", () => {
  let rgw: Rgw;
  let prefixes = 0;
  beforeAll(async () => void (rgw = await Rgw.start()), START_MS);
  afterAll(() => rgw.stop(), START_MS);

  const store = (): Partial<ObjStoreConfig> => {
    const { bucket, accessKey, secretKey } = rgw;
    return { bucket, accessKey, secretKey };
  };
  const use = (options: { prefix: string; dtype: string }, body: (rig: TierRig) => Promise<void>): Promise<void> =>
    TierRig.use((env): SecondaryTierManager => {
      const { offloadingSpec: spec } = env;
      const offloadingSpec = { ...spec, model: { ...spec.model, dtype: options.dtype } };
      const config = { prefix: options.prefix };
      return makeObjTier(rgw.endpoint, { store: store(), config, context: { ...env, offloadingSpec } });
    }, body);

  describeSecondaryTier(
    "obj, on Ceph",
    (env) => {
      const config = { prefix: `suite/${++prefixes}` };
      return makeObjTier(rgw.endpoint, { store: { ...store(), reqChecksum: "supported" }, config, context: env });
    },
    runner,
  );

  it("hits, byte for byte, what another process stored, and never another namespace's", async () => {
    const shared = { prefix: "shared '(&)* ö", dtype: "float16" };
    await storeInOtherProcess({ endpoint: rgw.endpoint, store: store(), ...shared, count: 40 });
    await use(shared, async (rig) => {
      for (let n = 0; n < 40; n++) {
        expect(await rig.verdict(n, "a")).toBe(LookupResult.Hit);
        expect(await rig.load([n], [9])).toMatchObject({ success: true });
        expect(rig.faultOf(n, 9)).toBe(null);
      }
      // What is there already is not written again.
      expect(await rig.store([3])).toMatchObject({ success: true, transferBytes: 0 });
    });
    await use({ ...shared, dtype: "bfloat16" }, async (rig) => {
      for (let n = 0; n < 40; n++) expect(await rig.verdict(n, "a")).toBe(LookupResult.Miss);
      await rig.store([1]);
      await rig.tier.clear?.();
      expect(await rig.verdict(1, "b")).toBe(LookupResult.Miss);
    });
    await use(shared, async (rig) => {
      expect(await rig.verdict(1, "c")).toBe(LookupResult.Hit);
      await rig.tier.clear?.();
      for (let n = 0; n < 40; n++) expect(await rig.verdict(n, "d")).toBe(LookupResult.Miss);
    });
  });

  it.each([
    ["a bucket that is missing", { bucket: "nobodys" }, /NoSuchBucket.*Create the bucket/s],
    ["a key that is wrong", { access_key: "nobody" }, /InvalidAccessKeyId.*check it/s],
    ["a secret that is wrong", { secret_key: "hunter2hunter2" }, /SignatureDoesNotMatch.*Check secret_key/s],
    ["TLS against a port without", { scheme: "https" }, /does not speak TLS.*set scheme to http/s],
  ])("says at the start what to check: %s", async (_name, wrong, message) => {
    const config = { ...rgw.storeConfig(new URL(rgw.endpoint).host), ...wrong };
    const error = await errorOf(() =>
      createTiering({
        cpu_bytes_to_use: 4096,
        block_bytes: 1024,
        model: { name: "m", dtype: "float16", tokens_per_block: 16 },
        secondary_tiers: [{ type: "obj", store_config: config }],
      }),
    );
    expect(error).toMatchObject({ code: "TIER_INIT_FAILED", message: expect.stringMatching(message) as unknown });
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toMatch(/hunter2|testsecretkey/);
  });

  describe("a cache over it, under load", () => {
    let proxy: FaultProxy;
    let tests = 0;
    beforeEach(async () => void (proxy = await FaultProxy.start(rgw.endpoint)));
    afterEach(() => proxy.close());

    const tier = (endpoint = proxy.endpoint): SecondaryTierInput => ({
      type: "obj",
      store_config: rgw.storeConfig(endpoint),
      prefix: `load/${++tests}`,
    });

    it("answers every request while the server is killed, and uses it again when it is back", async () => {
      await underLoad(tier(rgw.endpoint), async (load) => {
        await load.hits(20);
        await rgw.kill();
        await load.requests(200);
        expect(load.figure("breakerOpens")).toBeGreaterThan(0);
        await rgw.restart();
        await load.hits(20);
      });
      await until("no connections", async () => (await rgw.connections()) === 0);
    });

    it("answers every request while the server is frozen, and uses it again when it goes on", async () => {
      await underLoad(tier(rgw.endpoint), async (load) => {
        await load.hits(20);
        await rgw.freeze();
        await load.requests(100);
        await rgw.thaw();
        await load.hits(20);
      });
      await until("no connections", async () => (await rgw.connections()) === 0);
    });

    it.each<[string, ProxyFault]>([
      ["slow beyond the deadline", { delayMs: 3000 }],
      ["cut off", { truncateAt: 1000 }],
      ["that its keys have expired", { refuse: { status: 400, code: "ExpiredToken" } }],
      ["that it is busy", { refuse: { status: 503, code: "SlowDown" } }],
      ["that the bucket is gone", { refuse: { status: 404, code: "NoSuchBucket" } }],
    ])(
      "answers every request while the server's answers are %s, and uses it again afterwards",
      async (_name, fault) => {
        await underLoad(tier(), async (load) => {
          await load.hits(20);
          proxy.fault = fault;
          await load.requests(100);
          proxy.fault = {};
          await load.hits(20);
          expect(load.figure("checksumFailures")).toBe(0);
        });
        await until("no connections", async () => (await proxy.connections()) === 0);
      },
    );
  });
});
