import { describe, expect, it } from "@jest/globals";
import type { TierContext } from "../../../src/contracts/tier-context.js";
import { SecondaryTier } from "../../../src/decorators/secondary-tier.js";
import { createTestTiering, HeldTier, ManualClock } from "../../../src/testing/index.js";
import { bytesOf, configOf, keysOf } from "../cache/cache-rig.js";

const BLOCK = new Uint8Array(4096).fill(7);

/** Lets what was asked for be sent. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A cache over one held tier, and that tier. */
async function openCaptured() {
  const made: HeldTier[] = [];
  @SecondaryTier("captured", { config: "passthrough" })
  class CapturedTier extends HeldTier {
    constructor(context: TierContext) {
      super(context);
      made.push(this);
    }
  }
  const tiering = await createTestTiering(configOf(4, [{ type: "captured" }]), { tiers: [CapturedTier] });
  const [tier] = made;
  if (tier === undefined) throw new Error("No tier was made.");
  return Object.assign(tiering, { tier });
}

describe("createTestTiering", () => {
  it("is a cache with an example tier, on a clock that stands still", async () => {
    await using tiering = await createTestTiering();
    expect(await tiering.cache.put(keysOf(1), [BLOCK])).toBe(1);
    await tiering.cache.flush();
    expect(tiering.cache.stats().tiers).toMatchObject([{ bytesWritten: BLOCK.length }]);
    expect([tiering.clock instanceof ManualClock, tiering.clock.now()]).toEqual([true, 0]);
  });

  it("closes with jobs that a HeldTier holds without holdsDrains, though nobody moves the clock", async () => {
    const { tier, cache, manager, clock, close } = await openCaptured();
    tier.holdsDrains = false;
    await cache.put(keysOf(1), [bytesOf(1)]);
    tier.release();
    await cache.flush();
    await manager.resetCache();
    const loading = cache.acquire(keysOf(1));
    await cache.put(keysOf(2), [bytesOf(2)]);
    await turn();
    expect(tier.held.map(({ isLoad }) => isLoad).sort()).toEqual([false, true]);
    const flushing = cache.flush();
    const closing = close();
    await expect(loading).rejects.toMatchObject({ code: "CLOSED" });
    await Promise.all([closing, flushing]);
    expect([clock.now(), tier.held]).toEqual([0, []]);
    expect(cache.stats()).toMatchObject({ primary: { busyBlocks: 0 }, tiers: [{ cascadeFailures: 1 }] });
  });

  it.each(["the release", "the deadline"])("closes with held jobs at %s and not before", async (end) => {
    const { tier, cache, clock, close } = await openCaptured();
    await cache.put(keysOf(1), [bytesOf(1)]);
    await turn();
    let isClosed = false;
    const closing = close().then(() => (isClosed = true));
    clock.advance(29);
    await turn();
    expect(isClosed).toBe(false);
    if (end === "the release") tier.release();
    else clock.advance(1);
    await closing;
    expect(cache.stats().tiers).toMatchObject([{ cascadeFailures: end === "the release" ? 0 : 1 }]);
  });
});
