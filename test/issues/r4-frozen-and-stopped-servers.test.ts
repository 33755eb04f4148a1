import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import { keyOf, type TierRig } from "../../src/testing/conformance/tier-rig.js";
import { withRedis, type RedisRig } from "../support/redis/redis-rig.js";
import { RespPeer } from "../support/redis/resp-peer.js";
import { until } from "../support/until.js";

const STEP = { newReqIds: [], preemptedReqIds: [] };
const DEADLINE_S = 0.2;

/** The verdict on block 1 of a request that ends with it: later ones ask the server again. */
async function verdictOnce(rig: TierRig): Promise<LookupResult> {
  const verdict = await rig.verdict(1, "once");
  rig.tier.onRequestFinished({ reqId: "once" });
  return verdict;
}

/** Time passes until block 1 is found again; slowly, since a connection is made in real time. */
async function untilHit({ rig, clock }: RedisRig): Promise<void> {
  await until("the server to be used again", async () => {
    clock.advance(0.02);
    return (await verdictOnce(rig)) === LookupResult.Hit;
  });
}

describe("R4: a server that is frozen or gone costs hits, and nothing else", () => {
  let peer: RespPeer;
  beforeEach(async () => void (peer = await RespPeer.start()));
  afterEach(() => peer.stop());

  it("answers a look-up with a miss at the deadline", () =>
    withRedis({ url: peer.url, deadlineS: DEADLINE_S }, async ({ rig, clock }) => {
      await rig.store([1]);
      peer.freeze();
      const lookup = (): string => rig.tier.lookup(keyOf(1), { reqId: "a" });
      expect(lookup()).toBe(LookupResult.Retry);
      rig.tier.onScheduleEnd(STEP);
      clock.advance(DEADLINE_S - 0.001);
      expect(lookup()).toBe(LookupResult.Retry);
      clock.advance(0.001);
      expect(lookup()).toBe(LookupResult.Miss);
    }));

  it("keeps no more stores than may wait, ends each, and is used again once it answers", () =>
    withRedis({ url: peer.url, deadlineS: DEADLINE_S, maxQueuedBytes: 100_000 }, async (redis) => {
      const { rig, clock } = redis;
      await rig.store([1]);
      peer.freeze();
      const jobs = Array.from({ length: 10_000 }, (_, n) => rig.submitStore([n + 100], [0]));
      const { queuedStores = 0, running = 0, storesDropped = 0 } = rig.tier.getStats();
      expect(queuedStores).toBe(100);
      expect(storesDropped).toBe(10_000 - queuedStores - running);

      clock.advance(DEADLINE_S);
      for (const job of jobs) expect(await rig.resultOf(job)).toMatchObject({ success: false });
      expect(rig.tier.getStats()).toMatchObject({ queuedStores: 0, breakerOpen: 1 });
      expect(await verdictOnce(rig)).toBe(LookupResult.Miss);
      expect(await rig.store([2])).toMatchObject({ success: false, dropped: true });

      peer.thaw();
      await untilHit(redis);
      expect(await rig.store([2])).toMatchObject({ success: true });
      expect(rig.tier.getStats()).toMatchObject({ breakerOpen: 0, running: 0, overdue: 0 });
    }));

  it("fails at once what is asked of a server that hung up, and connects again when it is back", () =>
    withRedis({ url: peer.url }, async (redis) => {
      const { rig } = redis;
      await rig.store([1]);
      await peer.stop();
      await until("the tier to notice", async () => !(await rig.load([1], [9])).success);
      expect(await rig.store([2])).toMatchObject({ success: false });
      expect(await verdictOnce(rig)).toBe(LookupResult.Miss);

      await peer.resume();
      await untilHit(redis);
      expect(await rig.load([1], [9])).toMatchObject({ success: true });
      expect(rig.faultOf(1, 9)).toBe(null);
    }));

  it("replaces the socket of a frozen server, and leaves none behind", async () => {
    await withRedis({ url: peer.url, deadlineS: DEADLINE_S, connections: 2 }, async (redis) => {
      const { rig, clock } = redis;
      await rig.store([1]);
      const before = peer.connections;
      peer.freeze();
      const jobs = [2, 3, 4].map((n) => rig.submitStore([n]));
      clock.advance(DEADLINE_S);
      for (const job of jobs) await rig.resultOf(job);
      peer.thaw();
      await untilHit(redis);
      await until("as many sockets as before", () => {
        clock.advance(0.02);
        return peer.connections === before;
      });
    });
    await until("no sockets", () => peer.connections === 0);
  });

  it("touches no slot of a load that it gave up, whatever the server sends later", () =>
    withRedis({ url: peer.url, deadlineS: DEADLINE_S }, async (redis) => {
      const { rig, clock } = redis;
      await rig.store([1]);
      peer.freeze();
      const load = rig.submitLoad([1], [9]);
      clock.advance(DEADLINE_S);
      expect(await rig.resultOf(load)).toMatchObject({ success: false });
      rig.fill(9, 0xaa);
      peer.thaw();
      await untilHit(redis);
      expect(await rig.load([1], [10])).toMatchObject({ success: true });
      expect(rig.slot(9).every((byte) => byte === 0xaa)).toBe(true);
    }));

  it("drops nothing and hangs nowhere when it is shut down while the server is frozen", () =>
    withRedis({ url: peer.url }, async ({ rig }) => {
      await rig.store([1]);
      peer.freeze();
      const jobs = [rig.submitStore([2]), rig.submitLoad([1], [9])];
      await rig.tier.shutdown();
      for (const job of jobs) expect(await rig.resultOf(job)).toMatchObject({ success: false });
    }));
});
