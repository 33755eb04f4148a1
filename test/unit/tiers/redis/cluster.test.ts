import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../../../src/contracts/lookup-result.js";
import { keySlot } from "../../../../src/tiers/redis/key-slot.js";
import { withRedis } from "../../../support/redis/redis-rig.js";
import { RespCluster } from "../../../support/redis/resp-cluster.js";
import { ErrorReply } from "../../../support/redis/resp.js";
import { until } from "../../../support/until.js";

describe("the redis tier on a cluster that changes", () => {
  let cluster: RespCluster;
  beforeEach(async () => void (cluster = await RespCluster.start(3)));
  afterEach(() => cluster.stop());

  it("follows a slot that has moved, and then knows where it is", () =>
    withRedis({ nodes: cluster.nodes }, async ({ rig, clock }) => {
      await rig.store([1]);
      const [key = ""] = cluster.keys;
      const slot = keySlot(key);
      const from = cluster.owners[slot];
      const to = cluster.peers.find((peer) => peer !== from);
      if (from === undefined || to === undefined) throw new TypeError("three peers");
      cluster.move(slot, to);
      clock.advance(1);
      expect(await rig.load([1], [9])).toMatchObject({ success: true });
      expect(rig.faultOf(1, 9)).toBe(null);
      await until("the new map", async () => {
        const before = from.count("GET");
        await rig.load([1], [9]);
        return from.count("GET") === before;
      });
    }));

  it("asks the node that a slot is on its way to, for one command", () =>
    withRedis({ nodes: cluster.nodes }, async ({ rig }) => {
      await rig.store([1]);
      const [key = ""] = cluster.keys;
      const from = cluster.owners[keySlot(key)];
      const to = cluster.peers.find((peer) => peer !== from);
      const value = from?.data.get(key);
      if (from === undefined || to === undefined || value === undefined) throw new TypeError("a block on a peer");
      from.on("GET", () => new ErrorReply(`ASK ${keySlot(key)} 127.0.0.1:${to.port}`));
      to.on("GET", (_, asking) => (asking ? value : new ErrorReply(`MOVED 0 127.0.0.1:${from.port}`)));
      expect(await rig.load([1], [9])).toMatchObject({ success: true });
      expect(rig.faultOf(1, 9)).toBe(null);
    }));

  it("does not go round in circles when nodes send it to each other", () =>
    withRedis({ nodes: cluster.nodes }, async ({ rig }) => {
      const [a, b] = cluster.peers;
      for (const [peer, other] of [
        [a, b],
        [b, a],
        [cluster.peers[2], a],
      ] as const) {
        peer?.on("GET", () => new ErrorReply(`MOVED 1 127.0.0.1:${other?.port ?? 0}`));
      }
      await rig.store([1]);
      expect(await rig.load([1], [9])).toMatchObject({ success: false });
    }));

  it("serves what the other masters hold while one is gone", () =>
    withRedis({ nodes: cluster.nodes }, async ({ rig }) => {
      const ns = Array.from({ length: 12 }, (_, n) => n);
      await rig.store(ns);
      const gone = cluster.peers[0];
      const kept = ns.length - (gone?.data.size ?? 0);
      await gone?.stop();
      let hits = 0;
      for (const n of ns) if ((await rig.verdict(n, "a")) === LookupResult.Hit) hits++;
      expect(kept).toBeGreaterThan(0);
      expect(hits).toBe(kept);
    }));

  it("stays away from the one that is gone alone, until it is back", () =>
    withRedis({ nodes: cluster.nodes }, async ({ rig, clock }) => {
      const ns = Array.from({ length: 30 }, (_, n) => n);
      await rig.store(ns);
      const gone = cluster.peers[0];
      const kept = ns.length - (gone?.data.size ?? 0);
      await gone?.stop();
      for (const n of ns) await rig.verdict(n, "a");
      rig.tier.onRequestFinished({ reqId: "a" });
      expect(rig.tier.getStats()).toMatchObject({ breakerOpen: 1, [`breakerOpen:127.0.0.1:${gone?.port ?? 0}`]: 1 });
      const hits = async (reqId: string): Promise<number> => {
        let count = 0;
        for (const n of ns) if ((await rig.verdict(n, reqId)) === LookupResult.Hit) count++;
        rig.tier.onRequestFinished({ reqId });
        return count;
      };
      expect(await hits("b")).toBe(kept);
      await gone?.resume();
      await until("all to be used again", async () => {
        clock.advance(0.2);
        return (await hits("c")) === ns.length;
      });
      expect(rig.tier.getStats()).toMatchObject({ breakerOpen: 0 });
    }));

  it("hears of a failover from the master that it stays away from", () =>
    withRedis({ nodes: cluster.nodes }, async ({ rig, clock }) => {
      const ns = Array.from({ length: 30 }, (_, n) => n);
      await rig.store(ns);
      const [gone, heir] = cluster.peers;
      if (gone === undefined || heir === undefined) throw new TypeError("three peers");
      await gone.stop();
      for (const n of ns) await rig.verdict(n, "a");
      rig.tier.onRequestFinished({ reqId: "a" });
      expect(rig.tier.getStats()).toMatchObject({ breakerOpen: 1 });
      cluster.owners.forEach((owner, slot) => {
        if (owner === gone) cluster.move(slot, heir);
      });
      await until("the new map", () => {
        clock.advance(0.1);
        return rig.tier.getStats().breakerOpen === 0;
      });
      for (const n of ns) expect(await rig.verdict(n, "b")).toBe(LookupResult.Hit);
    }));

  it("fails at once when the cluster is down", () =>
    withRedis({ nodes: cluster.nodes }, async ({ rig }) => {
      for (const peer of cluster.peers) peer.on("SET", () => new ErrorReply("CLUSTERDOWN The cluster is down"));
      expect(await rig.store([1])).toMatchObject({ success: false });
    }));
});
