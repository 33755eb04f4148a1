import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import { TierRig } from "../../src/testing/conformance/tier-rig.js";
import { describeSecondaryTier } from "../../src/testing/index.js";
import { describeRedis } from "../support/redis/describe-redis.js";
import { makeRedisTier } from "../support/redis/make-redis-tier.js";
import { type RedisProcess, startRedisCluster } from "../support/redis/redis-process.js";
import { storeInOtherProcess } from "../support/redis/run-redis-process.js";
import { underLoad } from "../support/tier-load.js";
import { until } from "../support/until.js";

describeRedis("on a cluster of three masters", () => {
  let cluster: RedisProcess[];
  let tests = 0;
  beforeAll(async () => void (cluster = await startRedisCluster("--cluster-require-full-coverage", "no")), 120_000);
  afterAll(async () => void (await Promise.all(cluster.map((node) => node.stop()))));

  const nodes = (): string[] => cluster.map((node) => node.address);

  describeSecondaryTier(
    "redis, on a cluster",
    (env) => makeRedisTier({ config: { nodes: nodes(), keyPrefix: `t${++tests}:` }, context: env }),
    { describe, it, expect },
  );

  it("spreads blocks over the masters, and clears them from all", () =>
    TierRig.use(
      (env) => makeRedisTier({ config: { nodes: nodes().slice(0, 1), keyPrefix: "spread:" }, context: env }),
      async (rig) => {
        await rig.store(Array.from({ length: 30 }, (_, n) => n));
        const keys = (): Promise<string[]> => Promise.all(cluster.map((node) => node.cli("KEYS", "spread:*")));
        expect((await keys()).every((found) => found !== "")).toBe(true);
        await rig.tier.clear?.();
        expect((await keys()).every((found) => found === "")).toBe(true);
      },
    ));

  it("hits, byte for byte, what another process stored, and never another namespace's", async () => {
    await storeInOtherProcess({ nodes: nodes(), keyPrefix: "shared:", dtype: "float16", count: 40 });
    const use = (dtype: string, body: (rig: TierRig) => Promise<void>): Promise<void> =>
      TierRig.use((env) => {
        const { offloadingSpec: spec } = env;
        const offloadingSpec = { ...spec, model: { ...spec.model, dtype } };
        return makeRedisTier({
          config: { nodes: nodes(), keyPrefix: "shared:" },
          context: { ...env, offloadingSpec },
        });
      }, body);
    await use("float16", async (rig) => {
      for (let n = 0; n < 40; n++) {
        expect(await rig.verdict(n, "a")).toBe(LookupResult.Hit);
        expect(await rig.load([n], [9])).toMatchObject({ success: true });
        expect(rig.faultOf(n, 9)).toBe(null);
      }
    });
    await use("bfloat16", async (rig) => {
      for (let n = 0; n < 40; n++) expect(await rig.verdict(n, "a")).toBe(LookupResult.Miss);
    });
  });

  it("answers every request while one master is killed, hits what the others hold, and uses all when it is back", () =>
    underLoad({ type: "redis", nodes: nodes() }, async (load) => {
      await load.hits(20);
      await cluster[1]?.kill();
      await load.requests(200);
      await until("the one to be given up", () => load.figure(`breakerOpen:${nodes()[1]}`) === 1);
      expect(load.figure("breakerOpen")).toBe(1);
      await load.hits(10);
      await cluster[1]?.restart();
      await until("all to be used", () => load.figure("breakerOpen") === 0);
      await load.hits(50);
    }));

  it("answers every request while one master is frozen, and hits what the others hold", () =>
    underLoad({ type: "redis", nodes: nodes() }, async (load) => {
      await load.hits(20);
      cluster[2]?.freeze();
      await until("the one to be given up", () => load.figure(`breakerOpen:${nodes()[2]}`) === 1);
      await load.requests(100);
      await load.hits(10);
      cluster[2]?.thaw();
      await until("all to be used", () => load.figure("breakerOpen") === 0);
      await load.hits(50);
    }));

  it("answers every request while all masters are killed, and uses them when they are back", () =>
    underLoad({ type: "redis", nodes: nodes() }, async (load) => {
      await load.hits(20);
      await Promise.all(cluster.map((node) => node.kill()));
      await until("all to be given up", () => load.figure("breakerOpen") === cluster.length);
      await load.requests(200);
      await Promise.all(cluster.map((node) => node.restart()));
      await until("all to be used", () => load.figure("breakerOpen") === 0);
      await load.hits(50);
    }));
});
