import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import { withRedis } from "../support/redis/redis-rig.js";
import { RespPeer } from "../support/redis/resp-peer.js";

describe("R1: a block is one key, so that a server cannot evict half of it", () => {
  let peer: RespPeer;
  beforeEach(async () => void (peer = await RespPeer.start()));
  afterEach(() => peer.stop());

  it("stores a block under one key", () =>
    withRedis({ url: peer.url }, async ({ rig }) => {
      await rig.store([1, 2]);
      expect(peer.data.size).toBe(2);
    }));

  it.each([
    ["cut short", (value: Buffer) => value.subarray(0, 500)],
    ["without its trailer's end", (value: Buffer) => value.subarray(0, value.length - 1)],
    ["empty", () => Buffer.alloc(0)],
  ])("misses a value that is %s, and takes the block anew", (_, damage) =>
    withRedis({ url: peer.url }, async ({ rig }) => {
      await rig.store([1]);
      for (const [key, value] of peer.data) peer.data.set(key, damage(value));
      rig.fill(9, 0xee);
      expect(await rig.load([1], [9])).toMatchObject({ success: false });
      expect(rig.slot(9)).toEqual(new Uint8Array(1000).fill(0xee));
      expect(await rig.verdict(1, "a")).toBe(LookupResult.Miss);

      await rig.store([1]);
      expect(await rig.verdict(1, "b")).toBe(LookupResult.Hit);
      expect(await rig.load([1], [9])).toMatchObject({ success: true });
      expect(rig.faultOf(1, 9)).toBe(null);
    }),
  );
});
