import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import type { SecondaryTierInput } from "../../src/index.js";
import { TierRig } from "../../src/testing/conformance/tier-rig.js";
import { describeRedis } from "../support/redis/describe-redis.js";
import { makeRedisTier } from "../support/redis/make-redis-tier.js";
import { moveSlots } from "../support/redis/move-slots.js";
import { startRedisCluster, startReplica, type RedisProcess } from "../support/redis/redis-process.js";
import { underLoad } from "../support/tier-load.js";
import { until } from "../support/until.js";

const START_MS = 120_000;
const ALL = Array.from({ length: 40 }, (_, n) => n);

const isMaster = async (node: RedisProcess): Promise<boolean> => (await node.cli("ROLE")).startsWith("master");

describeRedis("on a cluster that changes under load", () => {
  let masters: RedisProcess[];
  let replica: RedisProcess;
  beforeEach(async () => {
    masters = await startRedisCluster("--cluster-require-full-coverage", "no");
    replica = await startReplica(masters, "--cluster-require-full-coverage", "no");
  }, START_MS);
  afterEach(async () => void (await Promise.all([...masters, replica].map((node) => node.stop()))));

  const first = (): RedisProcess => {
    const [master] = masters;
    if (master === undefined) throw new TypeError("three masters");
    return master;
  };
  const tier = (): SecondaryTierInput => ({ type: "redis", nodes: masters.map((node) => node.address) });
  const noConnections = (nodes: readonly RedisProcess[]): Promise<void> =>
    until("no sockets", async () => (await Promise.all(nodes.map((node) => node.connections()))).every((n) => n === 0));

  it("goes on hitting while slots move from one master to another, and back", async () => {
    await underLoad(tier(), async (load) => {
      await load.hits(80);
      const [from, to] = masters;
      if (from === undefined || to === undefined) throw new TypeError("three masters");
      await moveSlots(from, to, () => load.hits(80));
      await load.hits(80);
      await moveSlots(to, from, () => load.hits(80));
      await load.hits(80);
      for (const node of [from, to]) expect(await node.cli("INFO", "commandstats")).toContain("cmdstat_asking");
      expect([load.figure("breakerOpens"), load.figure("checksumFailures")]).toEqual([0, 0]);
    });
    await noConnections([...masters, replica]);
  });

  it("follows a failover that is asked for", async () => {
    await underLoad(tier(), async (load) => {
      await load.hits(50);
      await replica.cli("CLUSTER", "FAILOVER");
      await until("the failover", () => isMaster(replica));
      await load.hits(50);
      await until("all to be used", () => load.figure("breakerOpen") === 0);
      await load.hits(50);
    });
    await noConnections([...masters, replica]);
  });

  it("answers every request while a master is killed, and uses the replica that takes over", async () => {
    await underLoad(tier(), async (load) => {
      await load.hits(50);
      await first().kill();
      await load.requests(100);
      await load.hits(10);
      await until("the replica to take over", () => isMaster(replica));
      await until("it to be used", async () => (await replica.connections()) > 0 && load.figure("breakerOpen") === 0);
      await load.hits(50);
      await first().restart();
      await until("the old master to follow", async () => !(await isMaster(first())));
      await load.hits(50);
    });
    await noConnections([...masters, replica]);
  });

  it("uses the replica that takes over from a master that is frozen, and goes on when that is back", async () => {
    await underLoad(tier(), async (load) => {
      await load.hits(50);
      first().freeze();
      await load.requests(50);
      await until("the replica to take over", () => isMaster(replica));
      await until("it to be used", async () => (await replica.connections()) > 0 && load.figure("breakerOpen") === 0);
      await load.hits(50);
      first().thaw();
      await until("the old master to follow", async () => !(await isMaster(first())));
      await load.hits(50);
    });
    await noConnections([...masters, replica]);
  });

  it("still has every block, byte for byte, once the replica has taken over", () =>
    TierRig.use(
      (env) => makeRedisTier({ config: { nodes: masters.map((node) => node.address) }, context: env }),
      async (rig) => {
        await rig.store(ALL);
        const held = await first().cli("DBSIZE");
        expect(Number(held)).toBeGreaterThan(0);
        await until("the replica to have them too", async () => (await replica.cli("DBSIZE")) === held);
        await first().kill();
        await until("the replica to take over", () => isMaster(replica));
        let requests = 0;
        await until("the tier to know", async () => {
          const reqId = `r${++requests}`;
          const verdicts = await Promise.all(ALL.map((n) => rig.verdict(n, reqId)));
          rig.tier.onRequestFinished({ reqId });
          return verdicts.every((verdict) => verdict === LookupResult.Hit);
        });
        for (const n of ALL) {
          expect(await rig.load([n], [50])).toMatchObject({ success: true });
          expect(rig.faultOf(n, 50)).toBe(null);
        }
      },
    ));
});
