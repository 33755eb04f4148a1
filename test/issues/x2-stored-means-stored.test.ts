import { describe, expect, it } from "@jest/globals";
import { BlockStoreTier, Medium, SecondaryTier, type OffloadingEvent, type OffloadKey } from "kvtier";
import { createTestTiering, type TestTiering } from "kvtier/testing";
import { recordingLogger } from "../support/recording-logger.js";
import { storeZeros } from "../support/store-zeros.js";
import { keysOf } from "../unit/orchestrator/step-rig.js";

const BLOCK_BYTES = 64;

/** Storage that has no room for one of the blocks. */
@SecondaryTier("shelf", { medium: Medium.Storage })
class ShelfTier extends BlockStoreTier {
  readonly #blocks = new Map<OffloadKey, Uint8Array>();

  async exists(keys: readonly OffloadKey[]): Promise<boolean[]> {
    return keys.map((key) => this.#blocks.has(key));
  }

  async write(key: OffloadKey, block: Uint8Array): Promise<void> {
    if (keysOf(13).includes(key)) throw new Error("no room");
    this.#blocks.set(key, new Uint8Array(block));
  }

  async read(key: OffloadKey, into: Uint8Array): Promise<void> {
    into.set(this.#blocks.get(key) ?? new Uint8Array());
  }
}

async function withCache(
  isEnabled: boolean,
  body: (tiering: TestTiering, log: ReturnType<typeof recordingLogger>["lines"]) => Promise<void>,
): Promise<void> {
  const { logger, lines } = recordingLogger();
  const config = {
    cpu_bytes_to_use: 8 * BLOCK_BYTES,
    block_bytes: BLOCK_BYTES,
    model: { name: "m", dtype: "f16", tokens_per_block: 16 },
    enable_kv_cache_events: isEnabled,
    secondary_tiers: [{ type: "shelf", enable_kv_events: true, locality: "REMOTE" }],
  };
  const tiering = await createTestTiering(config, { tiers: [ShelfTier], logger });
  try {
    await body(tiering, lines);
  } finally {
    await tiering.close();
  }
}

const ofStorage = ({ manager }: TestTiering): OffloadingEvent[] =>
  manager.takeEvents().filter(({ medium }) => medium === Medium.Storage);

describe("X2: an event says what really sits in storage", () => {
  it("tells of a store job that was whole, once, with its keys in order and the documented medium", () =>
    withCache(true, async (tiering) => {
      await storeZeros(tiering, 3, 1, 2);
      expect(ofStorage(tiering)).toEqual([
        { keys: keysOf(3, 1, 2), medium: "STORAGE", removed: false, locality: "REMOTE" },
      ]);
      expect(tiering.manager.takeEvents()).toEqual([]);
    }));

  it("tells of no store job of which one block failed", () =>
    withCache(true, async (tiering) => {
      await storeZeros(tiering, 1, 13);
      expect(ofStorage(tiering)).toEqual([]);
    }));

  it("tells of no load", () =>
    withCache(true, async (tiering) => {
      await storeZeros(tiering, 1);
      await tiering.manager.resetCache();
      tiering.manager.takeEvents();
      expect(await tiering.cache.get(keysOf(1))).toHaveLength(1);
      expect(ofStorage(tiering)).toEqual([]);
      // The block is in the pool now, and that is an event of the pool.
    }));

  it("tells of nothing, and warns, when only the tier is told to", () =>
    withCache(false, async (tiering, log) => {
      await storeZeros(tiering, 1);
      expect(tiering.manager.takeEvents()).toEqual([]);
      expect(log.filter(({ message }) => message.includes("enable_kv_cache_events"))).toMatchObject([
        { level: "warn" },
      ]);
    }));
});
