import { describe, expect, it } from "@jest/globals";
import { Container } from "inversify";
import * as kvtier from "kvtier";

/** What the main entry exports at run time; types are checked by the compiler, in test/types. */
const NAMES = [
  // authoring
  ["SecondaryTier", "SecondaryTierManager", "BlockStoreTier", "Medium", "Locality", "OffloadPolicy", "LookupResult"],
  ["Detector", "BackpressureDetector", "EMABackpressureDetector", "EMABackpressureConfig"],
  ["Policy", "BackpressurePolicy", "DropStorePolicy", "ThrottledDropPolicy", "ThrottledDropConfig"],
  // options of a config class
  ["Below", "ByteSize", "Count", "Flag", "Fraction", "NotAbove", "OneOf", "Optional", "Seconds", "Text"],
  // the container
  ["TOKENS", "tierToken", "detectorToken", "policyToken", "specToken", "tieringModule"],
  ["SecondaryTierFactory", "OffloadingSpecFactory", "CPUOffloadingSpec", "TieringOffloadingSpec"],
  ["ExampleTier", "FsTier", "LogTier", "ObjTier", "RedisTier", "consoleLogger", "silentLogger", "systemClock"],
  // the cache
  ["createTiering", "KvCache", "TieringOffloadingManager", "PrimaryKvView", "TierFilter", "KvEventPublisher"],
  ["parseTieringConfig", "createOffloadingSpec", "storageNamespace"],
  ["makeOffloadKey", "isOffloadKey", "offloadKeyHash", "offloadKeyGroup", "hashBlocks"],
  ["createDashboardHandler", "dashboardSource"],
  ["KvTierError", "ERROR_CODES"],
].flat();

describe("the main entry", () => {
  it("exports what is promised, and nothing else", () => {
    expect(Object.keys(kvtier).sort()).toEqual([...NAMES].sort());
  });

  it("has these tokens", () => {
    expect(kvtier.TOKENS).toEqual({
      primaryKvView: "kv.primary-view",
      offloadingSpec: "kv.offloading-spec",
      tierFactory: "kv.tier-factory",
      specFactory: "kv.spec-factory",
      tieringManager: "kv.tiering-manager",
      kvCache: "kv.cache",
      clock: "kv.clock",
      logger: "kv.logger",
      importer: "kv.importer",
      tierType: "kv.tier-type",
      tierConfig: "kv.tier-config",
      tierContext: "kv.tier-context",
      backpressureDetector: "kv.backpressure-detector",
      detectorConfig: "kv.detector-config",
      policyConfig: "kv.policy-config",
      backpressurePolicy: "kv.backpressure-policy",
      tieringConfig: "kv.tiering-config",
    });
    const { tierToken, detectorToken, policyToken, specToken } = kvtier;
    expect([tierToken("a"), detectorToken("a"), policyToken("a"), specToken("a")]).toEqual([
      "kv.tier:a",
      "kv.detector:a",
      "kv.policy:a",
      "kv.spec:a",
    ]);
  });

  it("is enough to write a tier with options, and to run it", async () => {
    class ShelfConfig {
      @kvtier.Count() slots = 8;
      @kvtier.Text({ optional: true }) label?: string;
    }

    @kvtier.SecondaryTier("shelf", { config: ShelfConfig, medium: kvtier.Medium.Cpu })
    class ShelfTier extends kvtier.BlockStoreTier<ShelfConfig> {
      readonly #blocks = new Map<kvtier.OffloadKey, Uint8Array>();

      protected async exists(keys: readonly kvtier.OffloadKey[]): Promise<boolean[]> {
        return keys.map((key) => this.#blocks.has(key));
      }

      protected async write(key: kvtier.OffloadKey, block: Uint8Array): Promise<void> {
        if (this.#blocks.size < this.context.config.slots) this.#blocks.set(key, new Uint8Array(block));
        else throw new Error("The shelf is full.");
      }

      protected async read(key: kvtier.OffloadKey, into: Uint8Array): Promise<void> {
        const block = this.#blocks.get(key);
        if (block === undefined) throw new Error("Not on the shelf.");
        into.set(block);
      }
    }

    const container = new Container();
    const tiering = await kvtier.createTiering(
      {
        cpu_bytes_to_use: 64,
        block_bytes: 32,
        model: { name: "llama", dtype: "float16", tokens_per_block: 2 },
        secondary_tiers: [{ type: "shelf", slots: 4 }],
      },
      { container, tiers: [ShelfTier], logger: kvtier.silentLogger },
    );
    const keys = kvtier.hashBlocks([1, 2, 3, 4], 2).map((hash) => kvtier.makeOffloadKey(hash));
    const blocks = [1, 2].map((fill) => new Uint8Array(32).fill(fill));
    expect(await tiering.cache.put(keys, blocks)).toBe(2);
    await tiering.cache.flush();
    await tiering.manager.resetCache();
    expect(await tiering.cache.get(keys)).toEqual(blocks);
    expect(container.get(kvtier.TOKENS.kvCache)).toBe(tiering.cache);
    await tiering.close();
  });
});
