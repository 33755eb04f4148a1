import { describe, expect, it } from "@jest/globals";
import { createTestTiering } from "../../src/testing/create-test-tiering.js";
import { withTempFolder } from "../support/temp-folder.js";
import { bytesOf, configOf, keysOf } from "../unit/cache/cache-rig.js";

describe("S5: caches that differ in what changes the bytes share a folder, and no block", () => {
  it.each([
    ["the block size", { block_bytes: 8 }],
    ["dtype", { model: { name: "test-model", dtype: "fp8", tokens_per_block: 16 } }],
    ["world size", { model: { name: "test-model", dtype: "float16", tokens_per_block: 16, world_size: 2 } }],
  ])("does not hit through a whole cache when only %s differs, and hits when nothing does", (_what, change) =>
    withTempFolder(async (folder) => {
      const config = (more: object): object => configOf(4, [{ type: "fs", root_dir: folder }], more);
      const keys = keysOf(1);
      const writer = await createTestTiering(config({}));
      await writer.cache.put(keys, [bytesOf(1)]);
      await writer.cache.flush();
      await writer.close();

      const found: Uint8Array[][] = [];
      for (const more of [change, {}]) {
        const reader = await createTestTiering(config(more));
        found.push(await reader.cache.get(keys));
        await reader.close();
      }
      expect(found).toEqual([[], [bytesOf(1)]]);
    }),
  );
});
