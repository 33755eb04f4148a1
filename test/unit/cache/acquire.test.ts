import { describe, expect, it } from "@jest/globals";
import { TierFilter } from "../../../src/contracts/tier-filter.js";
import { bytesOf, keysOf, openCache, seed, turns, type CacheRig } from "./cache-rig.js";

const copies = (blocks: readonly Uint8Array[]): Uint8Array[] => blocks.map((block) => new Uint8Array(block));

async function seeded(ns: readonly number[], blocks = 8, config: object = {}): Promise<CacheRig> {
  const rig = await openCache({ blocks, config });
  await seed(
    rig,
    keysOf(...ns),
    ns.map((n) => bytesOf(n)),
  );
  return rig;
}

const busy = ({ cache }: CacheRig): number => cache.stats().primary.busyBlocks;

describe("KvCache.acquire", () => {
  it("leases the longest prefix, with its bytes and where each block came from", async () => {
    const rig = await seeded([1, 2]);
    const { cache, tier } = rig;
    await cache.put(keysOf(3), [bytesOf(3)]);
    tier.release();
    const acquiring = cache.acquire(keysOf(3, 1, 2, 9, 1));
    await turns();
    tier.release();
    using lease = await acquiring;
    expect([lease.hits, lease.sources]).toEqual([3, ["0:primary", "1:recording", "1:recording"]]);
    expect(copies(lease.blocks)).toEqual([bytesOf(3), bytesOf(1), bytesOf(2)]);
    expect(busy(rig)).toBe(3);
    lease.release();
    expect(busy(rig)).toBe(0);
    await rig.close();
  });

  it("pins the head of the prefix while its tail is still on its way", async () => {
    const rig = await seeded([2], 2);
    const { cache, tier } = rig;
    await cache.put(keysOf(1), [bytesOf(1)]);
    tier.release();
    await cache.flush();
    const acquiring = cache.acquire(keysOf(1, 2));
    await turns();
    expect(cache.reserve(keysOf(5))).toBeNull();
    tier.release();
    const lease = await acquiring;
    expect(lease.hits).toBe(2);
    lease.release();
    await rig.close();
  });

  it("resolves at its deadline with what is held by then, and keeps nothing beyond it", async () => {
    const rig = await seeded([2, 3]);
    const { cache, tier, clock } = rig;
    await cache.put(keysOf(1), [bytesOf(1)]);
    tier.release();
    await cache.flush();
    let isDone = false;
    const acquiring = cache.acquire(keysOf(1, 2, 3), { deadlineS: 5 }).finally(() => (isDone = true));
    await turns();
    clock.advance(4.9);
    await turns();
    expect(isDone).toBe(false);
    clock.advance(0.2);
    const lease = await acquiring;
    expect([lease.hits, lease.sources]).toEqual([1, ["0:primary"]]);
    tier.release();
    await turns();
    expect(busy(rig)).toBe(1);
    lease.release();
    expect(clock.pendingTimers).toBe(0);
    await rig.close();
  });

  it("with a deadline of 0 takes what is there, and sets the rest on its way", async () => {
    const rig = await seeded([1]);
    const lease = await rig.cache.acquire(keysOf(1), { deadlineS: 0 });
    expect(lease.hits).toBe(0);
    lease.release();
    const again = rig.cache.acquire(keysOf(1));
    await turns();
    rig.tier.release();
    (await again).release();
    await rig.close();
  });

  it("rejects with the signal's reason, before and meanwhile, and leaves nothing pinned", async () => {
    const rig = await seeded([2]);
    const { cache, tier } = rig;
    await cache.put(keysOf(1), [bytesOf(1)]);
    tier.release();
    await cache.flush();
    const reason = new Error("enough");
    await expect(cache.acquire(keysOf(1), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const acquiring = cache.acquire(keysOf(1, 2), { signal: controller.signal });
    await turns();
    expect(busy(rig)).toBe(2);
    controller.abort(reason);
    await expect(acquiring).rejects.toBe(reason);
    expect(busy(rig)).toBe(1);
    tier.release();
    await turns();
    expect(busy(rig)).toBe(0);
    expect(tier.requestCalls.filter((call) => call.startsWith("finished"))).toHaveLength(2);
    await rig.close();
  });

  it("leaves no listener behind on the signal", async () => {
    const rig = await seeded([1]);
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
    signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args));
    const acquiring = rig.cache.acquire(keysOf(1), { signal });
    await turns();
    expect(listeners).toBe(1);
    rig.tier.release();
    (await acquiring).release();
    expect(listeners).toBe(0);
    await rig.close();
  });

  it("shares one promotion between requests that want the same block", async () => {
    const rig = await seeded([1]);
    const both = Promise.all([rig.cache.acquire(keysOf(1)), rig.cache.acquire(keysOf(1))]);
    await turns();
    expect(rig.tier.loads).toEqual([keysOf(1)]);
    rig.tier.release();
    for (const lease of await both) {
      expect(copies(lease.blocks)).toEqual([bytesOf(1)]);
      lease.release();
    }
    await rig.close();
  });

  it("asks only the tiers that the filter allows", async () => {
    const rig = await seeded([1]);
    const lease = await rig.cache.acquire(keysOf(1), { loadTierFilter: new TierFilter([]) });
    expect([lease.hits, rig.tier.loads]).toEqual([0, []]);
    lease.release();
    await rig.close();
  });

  it("waits for a block that is reserved, until it is committed or aborted", async () => {
    const rig = await openCache();
    const { cache } = rig;
    const ticket = cache.reserve(keysOf(1, 2));
    const acquiring = cache.acquire(keysOf(1));
    const other = cache.acquire(keysOf(2));
    await turns();
    ticket?.blocks[0]?.set(bytesOf(1));
    ticket?.blocks[1]?.set(bytesOf(2));
    ticket?.commit();
    for (const lease of await Promise.all([acquiring, other])) {
      expect(lease.hits).toBe(1);
      lease.release();
    }
    const second = cache.reserve(keysOf(3));
    const waiting = cache.acquire(keysOf(3));
    await turns();
    second?.abort();
    expect((await waiting).hits).toBe(0);
    rig.tier.release();
    await rig.close();
  });

  it("gives up on a block that is reserved too long, though no tier has anything to do", async () => {
    const rig = await openCache({ tiers: 0, config: { pending_deadline_s: 5 } });
    const ticket = rig.cache.reserve(keysOf(1));
    let hits = -1;
    const acquiring = rig.cache.acquire(keysOf(1)).then((lease) => (hits = lease.hits));
    await turns();
    rig.clock.advance(4.9);
    await turns();
    expect(hits).toBe(-1);
    rig.clock.advance(0.2);
    await acquiring;
    expect(hits).toBe(0);
    ticket?.abort();
    await rig.close();
  });

  it("goes on when a tier misreports the job of another request", async () => {
    const rig = await seeded([1, 2]);
    const { cache, tier } = rig;
    const first = cache.acquire(keysOf(1));
    await turns();
    const jobId = tier.held[0]?.job.jobId ?? -1;
    tier.extraResults.push({ jobId, success: false, successfulKeys: keysOf(2) });
    const second = cache.acquire(keysOf(2));
    await turns();
    expect((await first).hits).toBe(0);
    tier.release(tier.held[1]?.job.jobId);
    expect((await second).hits).toBe(1);
    tier.release();
    await rig.close();
  });
});

describe("Lease", () => {
  it("is released exactly once, and has no blocks then", async () => {
    const rig = await openCache({ tiers: 0 });
    await rig.cache.put(keysOf(1), [bytesOf(1)]);
    const lease = await rig.cache.acquire(keysOf(1));
    lease.release();
    expect(lease.blocks).toEqual([]);
    expect(() => lease.release()).toThrow(expect.objectContaining({ code: "INVALID_STATE" }));
    lease[Symbol.dispose]();
    expect(busy(rig)).toBe(0);
    await rig.close();
  });

  it("is released by its scope", async () => {
    const rig = await openCache({ tiers: 0 });
    await rig.cache.put(keysOf(1), [bytesOf(1)]);
    {
      using lease = await rig.cache.acquire(keysOf(1));
      expect([lease.hits, busy(rig)]).toEqual([1, 1]);
    }
    expect(busy(rig)).toBe(0);
    await rig.close();
  });

  it("leaves the head of the prefix as the last to be evicted", async () => {
    const rig = await openCache({ tiers: 0, blocks: 3 });
    for (const n of [1, 2, 3]) await rig.cache.put(keysOf(n), [bytesOf(n)]);
    (await rig.cache.acquire(keysOf(1, 2, 3))).release();
    await rig.cache.put(keysOf(4, 5), [bytesOf(4), bytesOf(5)]);
    expect([1, 2, 3].map((n) => rig.manager.isResident(keysOf(n)[0] ?? raise()))).toEqual([true, false, false]);
    await rig.close();
  });
});

describe("KvCache.get", () => {
  it("gives copies of the hit prefix, which outlive the blocks", async () => {
    const rig = await openCache({ tiers: 0, blocks: 2 });
    await rig.cache.put(keysOf(1, 2), [bytesOf(1), bytesOf(2)]);
    const got = await rig.cache.get(keysOf(1, 2, 3));
    await rig.cache.put(keysOf(4, 5), [bytesOf(4), bytesOf(5)]);
    expect(got).toEqual([bytesOf(1), bytesOf(2)]);
    expect(busy(rig)).toBe(0);
    await rig.close();
  });
});

describe("Calls with one request id", () => {
  it("are one request, which finishes once, after the last of them", async () => {
    const rig = await openCache();
    const { cache, tier } = rig;
    await cache.put(keysOf(1), [bytesOf(1)], { requestId: "seed" });
    tier.release();
    tier.calls.length = 0;
    const a = await cache.acquire(keysOf(1), { requestId: "r" });
    const ticket = cache.reserve(keysOf(2), { requestId: "r" });
    const b = await cache.acquire(keysOf(1), { requestId: "r" });
    a.release();
    b.release();
    expect(tier.requestCalls).toEqual(["new r"]);
    ticket?.blocks[0]?.set(bytesOf(2));
    ticket?.commit();
    expect(tier.requestCalls).toEqual(["new r", "store r", "finished r"]);
    tier.release();
    await rig.close();
  });
});

function raise(): never {
  throw new Error("No key.");
}
