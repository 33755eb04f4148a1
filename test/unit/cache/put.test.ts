import { describe, expect, it } from "@jest/globals";
import { bytesOf, keyOf, keysOf, openCache, turns } from "./cache-rig.js";

const blocksOf = (...ns: number[]): Uint8Array[] => ns.map(bytesOf);
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

describe("KvCache.reserve", () => {
  it("is null when there is no room, and an empty ticket when there is nothing new", async () => {
    const rig = await openCache({ blocks: 2, tiers: 0 });
    await rig.cache.put(keysOf(1), blocksOf(1));
    const lease = await rig.cache.acquire(keysOf(1));
    expect(rig.cache.reserve(keysOf(2, 3))).toBeNull();
    expect(rig.cache.reserve(keysOf(1))?.keys).toEqual([]);
    lease.release();
    await rig.close();
  });

  it("ends the request of an empty ticket at once, for nobody need commit it", async () => {
    const rig = await openCache();
    await rig.cache.put(keysOf(1), blocksOf(1));
    rig.tier.release();
    rig.tier.calls.length = 0;
    const ticket = rig.cache.reserve(keysOf(1), { requestId: "r" });
    expect(rig.tier.requestCalls).toEqual(["new r", "finished r"]);
    ticket?.commit();
    expect(rig.tier.touched.at(-1)).toEqual(keysOf(1));
    await rig.close();
  });

  it("gives views of the slots, which are readable only after the commit", async () => {
    const rig = await openCache({ tiers: 0 });
    const ticket = rig.cache.reserve(keysOf(1, 2));
    expect(ticket?.keys).toEqual(keysOf(1, 2));
    ticket?.keys.forEach((_, i) => ticket.blocks[i]?.set(bytesOf(i + 1)));
    expect(rig.manager.isResident(keyOf(1))).toBe(false);
    ticket?.commit();
    expect(ticket?.blocks).toEqual([]);
    expect(await rig.cache.get(keysOf(1, 2))).toEqual(blocksOf(1, 2));
    await rig.close();
  });

  it("can be committed or aborted once; its scope aborts what was not", async () => {
    const rig = await openCache({ tiers: 0 });
    const committed = rig.cache.reserve(keysOf(1));
    committed?.commit();
    expect(() => committed?.commit()).toThrow(expect.objectContaining({ code: "INVALID_STATE" }));
    expect(() => committed?.abort()).toThrow(expect.objectContaining({ code: "INVALID_STATE" }));
    {
      using ticket = rig.cache.reserve(keysOf(2));
      expect(ticket?.keys).toEqual(keysOf(2));
    }
    expect([rig.manager.isResident(keyOf(1)), rig.manager.isResident(keyOf(2))]).toEqual([true, false]);
    expect(rig.cache.stats().primary.busyBlocks).toBe(0);
    await rig.close();
  });
});

describe("KvCache.put", () => {
  it("stores the blocks and says how many are resident", async () => {
    const rig = await openCache({ tiers: 0 });
    expect(await rig.cache.put(keysOf(1, 2), blocksOf(1, 2))).toBe(2);
    expect(await rig.cache.put(keysOf(1, 3, 3), blocksOf(1, 3, 3))).toBe(2);
    expect(await rig.cache.put([], [])).toBe(0);
    expect(await rig.cache.get(keysOf(1, 2, 3))).toEqual(blocksOf(1, 2, 3));
    await rig.close();
  });

  it("refuses a wrong number or size of blocks, and stores nothing", async () => {
    const rig = await openCache({ tiers: 0 });
    const wrong = [blocksOf(1), [bytesOf(1), new Uint8Array(15)], [bytesOf(1), new Uint8Array(17)], blocksOf(1, 2, 3)];
    for (const blocks of wrong) {
      await expect(rig.cache.put(keysOf(1, 2), blocks)).rejects.toMatchObject({ code: "INVALID_STATE" });
    }
    expect(rig.cache.stats().primary.residentBlocks).toBe(0);
    await rig.close();
  });

  it.each([1, 2, 3, 5, 7])("stores as long a prefix as fits: %d of 8", async (room) => {
    const rig = await openCache({ tiers: 0, blocks: room });
    expect(await rig.cache.put(keysOf(...upTo(8)), blocksOf(...upTo(8)))).toBe(room);
    expect(await rig.cache.get(keysOf(...upTo(8)))).toEqual(blocksOf(...upTo(room)));
    expect(rig.cache.stats().primary).toMatchObject({ busyBlocks: 0, storesRefused: expect.any(Number) });
    await rig.close();
  });

  it("keeps what is resident of the prefix, and never evicts it for the rest", async () => {
    const rig = await openCache({ tiers: 0, blocks: 4 });
    await rig.cache.put(keysOf(1, 2, 9), blocksOf(1, 2, 9));
    expect(await rig.cache.put(keysOf(1, 2, 3, 4, 5, 6), blocksOf(1, 2, 3, 4, 5, 6))).toBe(4);
    expect(await rig.cache.get(keysOf(1, 2, 3, 4, 5))).toEqual(blocksOf(1, 2, 3, 4));
    await rig.close();
  });

  it("does not wait when all is leased and nothing moves", async () => {
    const rig = await openCache({ tiers: 1, blocks: 2 });
    await rig.cache.put(keysOf(1, 2), blocksOf(1, 2));
    rig.tier.release();
    await rig.cache.flush();
    const lease = await rig.cache.acquire(keysOf(1, 2));
    // Such as a tier that waits for its peers has work for ever.
    rig.tier.hasPendingWork = () => true;
    expect(await rig.cache.put(keysOf(3, 2), blocksOf(3, 2))).toBe(1);
    lease.release();
    rig.tier.hasPendingWork = () => false;
    await rig.close();
  });

  it("waits while a transfer may make room, as one request and without asking for steps", async () => {
    const rig = await openCache({ blocks: 1 });
    const { cache, tier, manager } = rig;
    await cache.put(keysOf(1), blocksOf(1));
    await turns();
    tier.calls.length = 0;
    const putting = cache.put(keysOf(2), blocksOf(2), { requestId: "r" });
    await turns(20);
    expect(tier.requestCalls).toEqual(["new r"]);
    expect(tier.calls.filter((call) => call === "step").length).toBeLessThan(10);
    expect(manager.getStats().primary.storesRefused).toBe(1);
    tier.release();
    expect(await putting).toBe(1);
    expect(tier.requestCalls).toEqual(["new r", "store r", "finished r"]);
    tier.release();
    await rig.close();
  });

  it("gives up waiting with the signal's reason, and stores nothing", async () => {
    const rig = await openCache({ blocks: 1 });
    const { cache, tier } = rig;
    await cache.put(keysOf(1), blocksOf(1));
    const controller = new AbortController();
    const reason = new Error("enough");
    const putting = cache.put(keysOf(2), blocksOf(2), { signal: controller.signal, requestId: "r" });
    await turns();
    controller.abort(reason);
    await expect(putting).rejects.toBe(reason);
    expect(tier.requestCalls.slice(-2)).toEqual(["new r", "finished r"]);
    tier.release();
    await cache.flush();
    expect(rig.manager.isResident(keyOf(2))).toBe(false);
    await rig.close();
  });

  it("stores what it was called with, whatever becomes of the arrays", async () => {
    const rig = await openCache({ blocks: 2 });
    const { cache, tier } = rig;
    await cache.put(keysOf(1, 2), blocksOf(1, 2));
    const keys = keysOf(3, 4);
    const blocks = blocksOf(3, 4);
    const putting = cache.put(keys, blocks);
    keys.reverse();
    blocks.pop();
    await turns();
    tier.release();
    expect(await putting).toBe(2);
    expect(await cache.get(keysOf(3, 4))).toEqual(blocksOf(3, 4));
    tier.release();
    await rig.close();
  });

  it("commits no block whose buffer has shrunk while it waited", async () => {
    const rig = await openCache({ blocks: 1 });
    const { cache, tier } = rig;
    await cache.put(keysOf(1), blocksOf(1));
    const buffer = new ArrayBuffer(16);
    const putting = cache.put(keysOf(2), [new Uint8Array(buffer)]);
    await turns();
    structuredClone(buffer, { transfer: [buffer] });
    tier.release();
    await expect(putting).rejects.toMatchObject({ code: "INVALID_STATE" });
    expect(cache.stats().primary.busyBlocks).toBe(0);
    expect(rig.manager.isResident(keyOf(2))).toBe(false);
    await rig.close();
  });
});

describe("KvCache.flush", () => {
  it("waits for the cascades that were started before it, however they end, and for no others", async () => {
    const rig = await openCache();
    const { cache, tier } = rig;
    await cache.flush();
    await cache.put(keysOf(1), blocksOf(1));
    await cache.put(keysOf(2), blocksOf(2));
    let isFlushed = false;
    const flushing = cache.flush().then(() => (isFlushed = true));
    await cache.put(keysOf(3), blocksOf(3));
    tier.release(0);
    await turns();
    expect(isFlushed).toBe(false);
    tier.release(1, { success: false });
    await flushing;
    expect(tier.held).toHaveLength(1);
    tier.release();
    await rig.close();
  });

  it("does not wait for a ticket that is still being filled", async () => {
    const rig = await openCache();
    rig.tier.policy = "request_level";
    const ticket = rig.cache.reserve(keysOf(1), { requestId: "w" });
    rig.cache.reserve(keysOf(1), { requestId: "r" });
    await rig.cache.flush();
    ticket?.blocks[0]?.set(bytesOf(1));
    ticket?.commit();
    await turns();
    rig.tier.release();
    await rig.close();
    expect(rig.tier.requestCalls.filter((call) => call.startsWith("finished"))).toEqual(["finished w", "finished r"]);
  });

  it("takes a view of any element type by its bytes", async () => {
    const rig = await openCache();
    const words = new Uint16Array(8).map((_, i) => 0x0102 * (i + 1));
    expect(await rig.cache.put(keysOf(1), [words as unknown as Uint8Array])).toBe(1);
    const [stored] = await rig.cache.get(keysOf(1));
    expect(Buffer.from(stored ?? [])).toEqual(Buffer.from(words.buffer));
    rig.tier.release();
    await rig.close();
  });

  it.each([new ArrayBuffer(16), { byteLength: 16 }, null, undefined, "0123456789abcdef"])(
    "refuses %p, which is no view of memory, and stores nothing",
    async (block) => {
      const rig = await openCache();
      await expect(rig.cache.put(keysOf(1), [block as unknown as Uint8Array])).rejects.toMatchObject({
        code: "INVALID_STATE",
      });
      expect(rig.cache.stats().primary).toMatchObject({ residentBlocks: 0, busyBlocks: 0 });
      await rig.close();
    },
  );

  it("hands out keys that nobody can change while the ticket is open", async () => {
    const rig = await openCache();
    const ticket = rig.cache.reserve(keysOf(1, 2));
    expect(() => (ticket?.keys as unknown[]).pop()).toThrow(TypeError);
    ticket?.abort();
    expect(rig.cache.stats().primary.busyBlocks).toBe(0);
    await rig.close();
  });
});
