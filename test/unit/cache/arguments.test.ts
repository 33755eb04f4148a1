import { describe, expect, it } from "@jest/globals";
import type { OffloadKey } from "../../../src/contracts/offload-key.js";
import { bytesOf, keyOf, keysOf, openCache, seed, turns } from "./cache-rig.js";

/** As a caller in plain JavaScript may give them. */
const malformed = (...keys: readonly unknown[]): OffloadKey[] => keys as OffloadKey[];

const BAD_KEYS: readonly [string, unknown, string][] = [
  ["a word", "hello", '"hello"'],
  ["upper-case hex", keyOf(0xab).toUpperCase(), `"${keyOf(0xab).toUpperCase()}"`],
  ["a path", "../../x00000000", '"../../x00000000"'],
  ["bytes", new Uint8Array(32), "a value of type object"],
  ["null", null, "null"],
  ["undefined", undefined, "a value of type undefined"],
];

describe("A malformed key", () => {
  it.each(BAD_KEYS)("that is %s is refused by every call, by name", async (_what, bad, shown) => {
    const rig = await openCache();
    const { cache, tier } = rig;
    const keys = malformed(keyOf(1), bad);
    const refusal = {
      code: "INVALID_STATE",
      message: `Key 1 is ${shown}, not a key of makeOffloadKey(hash).`,
    };
    await expect(cache.acquire(keys)).rejects.toMatchObject(refusal);
    await expect(cache.get(keys)).rejects.toMatchObject(refusal);
    await expect(cache.put(keys, [bytesOf(1), bytesOf(2)])).rejects.toMatchObject(refusal);
    expect(() => cache.reserve(keys)).toThrow(expect.objectContaining(refusal));
    expect([tier.requestCalls, tier.lookups, cache.stats().primary.residentBlocks]).toEqual([[], 0, 0]);
    await rig.close();
  });

  it("is shown in part when it is long", async () => {
    const rig = await openCache();
    await expect(rig.cache.acquire(malformed("x".repeat(500)))).rejects.toThrow(`Key 0 is "${"x".repeat(77)}...", not`);
    await rig.close();
  });
});

describe("deadlineS", () => {
  it.each([NaN, -Infinity, "5", null])("of %p is refused, and no request begins", async (deadlineS) => {
    const rig = await openCache();
    const acquiring = rig.cache.acquire(keysOf(1), { deadlineS: deadlineS as number });
    await expect(acquiring).rejects.toMatchObject({
      code: "INVALID_STATE",
      message: `deadlineS must be a number of seconds, 0 for now, Infinity or absent for none; got ${deadlineS}.`,
    });
    expect(rig.tier.requestCalls).toEqual([]);
    await rig.close();
  });

  it.each([0, -1])("of %p means now", async (deadlineS) => {
    const rig = await openCache();
    await seed(rig, keysOf(1), [bytesOf(1)]);
    expect((await rig.cache.acquire(keysOf(1), { deadlineS })).hits).toBe(0);
    await turns();
    rig.tier.release();
    await rig.close();
  });

  it("of Infinity means none", async () => {
    const rig = await openCache();
    await seed(rig, keysOf(1), [bytesOf(1)]);
    const timers = rig.clock.pendingTimers;
    const acquiring = rig.cache.acquire(keysOf(1), { deadlineS: Infinity });
    await turns();
    expect(rig.clock.pendingTimers).toBe(timers);
    rig.tier.release();
    const lease = await acquiring;
    expect(lease.hits).toBe(1);
    lease.release();
    await rig.close();
  });
});
