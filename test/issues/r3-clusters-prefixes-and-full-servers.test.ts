import { afterEach, describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import { withRedis } from "../support/redis/redis-rig.js";
import { RespCluster } from "../support/redis/resp-cluster.js";
import { RespPeer } from "../support/redis/resp-peer.js";
import { ErrorReply } from "../support/redis/resp.js";

describe("R3: clusters, prefixes and full servers", () => {
  const running: { stop(): Promise<void> }[] = [];
  const startPeer = async (): Promise<RespPeer> => {
    const peer = await RespPeer.start();
    running.push(peer);
    return peer;
  };
  const startCluster = async (): Promise<RespCluster> => {
    const cluster = await RespCluster.start(3);
    running.push(cluster);
    return cluster;
  };
  afterEach(async () => void (await Promise.all(running.splice(0).map((server) => server.stop()))));

  it("sends one key per command, whatever slots a batch of blocks has", async () => {
    const cluster = await startCluster();
    const ns = [1, 2, 3, 4, 5, 6, 7, 8];
    await withRedis({ nodes: cluster.nodes.slice(0, 1) }, async ({ rig }) => {
      expect(await rig.store(ns)).toMatchObject({ success: true });
      for (const n of ns) expect(await rig.verdict(n, "a")).toBe(LookupResult.Hit);
      const slots = ns.map((n) => n + 20);
      expect(await rig.load(ns, slots)).toMatchObject({ success: true });
      for (const n of ns) expect(rig.faultOf(n, n + 20)).toBe(null);
      await rig.tier.remove?.([...rig.createJob(ns, ns, false).keys]);
      expect(cluster.keys).toEqual([]);
    });
    expect(cluster.peers.filter((peer) => peer.count("SET") > 0).length).toBeGreaterThan(1);
  });

  it("takes a block that is one byte short for a miss", async () => {
    const peer = await startPeer();
    await withRedis({ url: peer.url, checksum: false }, async ({ rig }) => {
      await rig.store([1]);
      for (const [key, value] of peer.data) peer.data.set(key, value.subarray(0, 999));
      expect(await rig.load([1], [9])).toMatchObject({ success: false });
      expect(await rig.verdict(1, "a")).toBe(LookupResult.Miss);
    });
  });

  it("never sees what another prefix stored, nor clears it", async () => {
    const peer = await startPeer();
    await withRedis({ url: peer.url, keyPrefix: "a*" }, ({ rig }) =>
      withRedis({ url: peer.url, keyPrefix: "ab" }, async ({ rig: other }) => {
        await other.store([1]);
        expect(await rig.verdict(1, "a")).toBe(LookupResult.Miss);
        await rig.store([1]);
        // As a glob, the prefix would match the other's.
        await rig.tier.clear?.();
        expect(await rig.verdict(1, "b")).toBe(LookupResult.Miss);
        expect(await other.load([1], [9])).toMatchObject({ success: true });
      }),
    );
  });

  it("fails and counts stores that a full server refuses, and goes on with loads", async () => {
    const peer = await startPeer();
    await withRedis({ url: peer.url }, async ({ rig }) => {
      await rig.store([1]);
      peer.on("SET", () => new ErrorReply("OOM command not allowed when used memory > 'maxmemory'."));
      for (let n = 2; n < 12; n++) expect(await rig.store([n])).toMatchObject({ success: false });
      expect(rig.tier.getStats()).toMatchObject({ blocksRefused: 10, storeFailures: 10, breakerOpen: 0 });
      expect(await rig.load([1], [9])).toMatchObject({ success: true });

      peer.off("SET");
      expect(await rig.store([2])).toMatchObject({ success: true });
    });
  });
});
