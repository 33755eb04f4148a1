import { describe, expect, it } from "@jest/globals";
import { bytesOf, keysOf, openCache, seed, turns } from "./cache-rig.js";

describe("KvCache.stopStores", () => {
  it("leaves no room for new blocks, and says so as a full pool does", async () => {
    const { cache, close } = await openCache();
    cache.stopStores();
    expect(cache.reserve(keysOf(1, 2))).toBeNull();
    expect(await cache.put(keysOf(1, 2), [bytesOf(1), bytesOf(2)])).toBe(0);
    await close();
  });

  it("counts in put what is resident already", async () => {
    const { cache, tier, close } = await openCache();
    await cache.put(keysOf(1), [bytesOf(1)]);
    cache.stopStores();
    expect(await cache.put(keysOf(1, 2), [bytesOf(1), bytesOf(2)])).toBe(1);
    tier.release();
    await close();
  });

  it("lets what is reserved be committed, read, and stored in the tiers", async () => {
    const { cache, tier, close } = await openCache();
    const ticket = cache.reserve(keysOf(1));
    cache.stopStores();
    ticket?.blocks[0]?.set(bytesOf(1));
    ticket?.commit();
    expect(await cache.get(keysOf(1))).toEqual([bytesOf(1)]);
    tier.release();
    await cache.flush();
    expect(cache.stats().tiers).toMatchObject([{ bytesWritten: 16 }]);
    await close();
  });

  it("goes on to load from the tiers", async () => {
    const rig = await openCache();
    await seed(rig, keysOf(1), [bytesOf(1)]);
    rig.cache.stopStores();
    const loading = rig.cache.get(keysOf(1));
    await turns();
    rig.tier.release();
    expect(await loading).toEqual([bytesOf(1)]);
    await rig.close();
  });

  it("lets go of a put that waits for room", async () => {
    const { cache, tier, close } = await openCache({ blocks: 1 });
    await cache.put(keysOf(1), [bytesOf(1)]);
    const waiting = cache.put(keysOf(2), [bytesOf(2)]);
    await turns();
    cache.stopStores();
    expect(await waiting).toBe(0);
    tier.release();
    await close();
  });
});

describe("KvCache.drain", () => {
  it("stops stores, and waits for tickets and for what they store", async () => {
    const { cache, tier, close } = await openCache();
    const ticket = cache.reserve(keysOf(1));
    let isDrained = false;
    const draining = cache.drain().then((drained) => (isDrained = drained));
    expect([cache.reserve(keysOf(2)), cache.openTickets]).toEqual([null, 1]);
    await turns();
    ticket?.commit();
    await turns();
    expect([isDrained, cache.openTickets]).toEqual([false, 0]);
    tier.release();
    expect(await draining).toBe(true);
    await close();
  });

  it("resolves at the deadline, and says that something is still under way", async () => {
    const { cache, clock, tier, close } = await openCache();
    await cache.put(keysOf(1), [bytesOf(1)]);
    const draining = cache.drain({ deadlineS: 2 });
    await turns();
    clock.advance(2);
    expect(await draining).toBe(false);
    tier.release();
    expect(await cache.drain({ deadlineS: 2 })).toBe(true);
    await close();
  });

  it("waits for no ticket that is aborted, or that has nothing to fill", async () => {
    const { cache, tier, close } = await openCache();
    await cache.put(keysOf(1), [bytesOf(1)]);
    tier.release();
    await cache.flush();
    cache.reserve(keysOf(1));
    cache.reserve(keysOf(2))?.abort();
    expect(await cache.drain()).toBe(true);
    await close();
  });

  it("only looks, without a deadline to wait for", async () => {
    const { cache, tier, close } = await openCache();
    await cache.put(keysOf(1), [bytesOf(1)]);
    expect(await cache.drain({ deadlineS: 0 })).toBe(false);
    tier.release();
    await cache.flush();
    expect(await cache.drain({ deadlineS: 0 })).toBe(true);
    await close();
  });

  it("takes no deadline that is no number", async () => {
    const { cache, close } = await openCache();
    await expect(cache.drain({ deadlineS: NaN })).rejects.toMatchObject({ code: "INVALID_STATE" });
    await close();
  });
});

describe("A close with a deadline", () => {
  it("gives a tier that hangs that long, and then up", async () => {
    const { cache, clock, close } = await openCache();
    await cache.put(keysOf(1), [bytesOf(1)]);
    let isClosed = false;
    const closing = close({ deadlineS: 3 }).then(() => (isClosed = true));
    await turns();
    clock.advance(2.9);
    await turns();
    expect(isClosed).toBe(false);
    clock.advance(0.1);
    await closing;
    expect(cache.stats().tiers).toMatchObject([{ cascadeFailures: 1 }]);
  });
});
