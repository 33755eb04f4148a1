// The app's config names tiers that need a disk or a network. A test swaps them by rebinding their tokens.
import { afterEach, expect, test } from "@jest/globals";
import { createTiering, ExampleTier, hashBlocks, makeOffloadKey, TOKENS, tierToken, type Tiering } from "kvtier";
import { createTestTiering, FaultyTier, rebindTier } from "kvtier/testing";
import { cachedTokens } from "./prompt-cache.js";

const productionConfig = {
  cpu_bytes_to_use: 4 * 4096,
  block_bytes: 4096,
  model: { name: "tiny", dtype: "float16", tokens_per_block: 16 },
  secondary_tiers: [{ type: "fs", root_dir: "/data/kv" }],
};
const prompt = Array.from({ length: 64 }, (_, i) => i);
const keys = hashBlocks(prompt, 16).map((hash) => makeOffloadKey(hash));
const blocks = keys.map((_, i) => new Uint8Array(4096).fill(i));

let tiering: Tiering;
afterEach(() => tiering.close());

test("a prompt that was stored is not computed again", async () => {
  tiering = await createTiering(productionConfig, {
    configure: (container) => rebindTier(container, "fs", ExampleTier),
  });
  await tiering.cache.put(keys, blocks);
  expect(await cachedTokens(tiering.cache, prompt)).toBe(64);
});

test("a tier whose every load fails costs hits and nothing else", async () => {
  tiering = await createTestTiering(productionConfig, {
    configure: (container) => {
      container
        .rebind(tierToken("fs"))
        .toDynamicValue(
          (context) => new FaultyTier(new ExampleTier(context.get(TOKENS.tierContext)), { errorRate: 1 }),
        );
    },
  });
  await tiering.cache.put(keys, blocks);
  await tiering.cache.flush();
  await tiering.manager.resetCache();
  expect(await cachedTokens(tiering.cache, prompt)).toBe(0);
});
