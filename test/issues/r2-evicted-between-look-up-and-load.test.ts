import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import { withRedis } from "../support/redis/redis-rig.js";
import { RespPeer } from "../support/redis/resp-peer.js";

describe("R2: a block that the server evicts between look-up and load", () => {
  let peer: RespPeer;
  beforeEach(async () => void (peer = await RespPeer.start()));
  afterEach(() => peer.stop());

  it("is one failed load and then a miss, without a storm of retries", () =>
    withRedis({ url: peer.url }, async ({ rig }) => {
      await rig.store([1]);
      expect(await rig.verdict(1, "a")).toBe(LookupResult.Hit);
      peer.data.clear();
      const loads = peer.count("GET");
      const result = await rig.load([1], [9]);
      expect(result).toMatchObject({ success: false });
      expect(result.blocksReleased).toBeUndefined();
      for (let i = 0; i < 20; i++) expect(await rig.verdict(1, "a")).toBe(LookupResult.Miss);
      expect(peer.count("GET") - loads).toBe(1);
      expect(rig.tier.getStats()).toMatchObject({ running: 0, breakerOpen: 0, engineFailures: 0 });
    }));

  it("leaves the other blocks of the load alone", () =>
    withRedis({ url: peer.url }, async ({ rig }) => {
      await rig.store([1, 2, 3]);
      for (const key of peer.data.keys()) if (key.includes("02".padStart(64, "0"))) peer.data.delete(key);
      const { success, successfulKeys = [] } = await rig.load([1, 2, 3], [9, 10, 11]);
      expect([success, successfulKeys.length]).toEqual([false, 2]);
      expect([rig.faultOf(1, 9), rig.faultOf(3, 11)]).toEqual([null, null]);
    }));
});
