import { describe, expect, it } from "@jest/globals";
import type { Container } from "inversify";
import { createTiering, type Tiering } from "../../src/cache/create-tiering.js";
import { silentLogger } from "../../src/contracts/logger.js";
import type { OffloadingSpec } from "../../src/contracts/offloading-spec.js";
import { TOKENS } from "../../src/tokens.js";
import { withTempFolder } from "../support/temp-folder.js";
import { bytesOf, configOf, keysOf } from "../unit/cache/cache-rig.js";

const KEYS = keysOf(1, 2, 3);
const BLOCKS = [1, 2, 3].map(bytesOf);

/** Of another revision of the model, and with a pool of `numBlocks`. */
const rebindSpec =
  (numBlocks: number) =>
  (container: Container): void => {
    const spec = container.get<OffloadingSpec>(TOKENS.offloadingSpec);
    const model = { ...spec.model, revision: "rebound" };
    container.rebind(TOKENS.offloadingSpec).toConstantValue({ ...spec, model, numBlocks });
  };

const open = (root_dir: string, configure?: (container: Container) => void): Promise<Tiering> =>
  createTiering(configOf(3, [{ type: "fs", root_dir }]), { logger: silentLogger, ...(configure && { configure }) });

describe("D7: what a spec is rebound to counts for what is made afterwards, and for nothing else", () => {
  it("a cache that runs keeps its pool and its namespace; one that is made with it has the new ones", () =>
    withTempFolder(async (root) => {
      const first = await open(root);
      await first.cache.put(KEYS, BLOCKS);
      await first.cache.flush();
      rebindSpec(1)(first.container);
      await first.manager.resetCache();
      expect(await first.cache.get(KEYS)).toEqual(BLOCKS);
      expect(first.cache.stats().primary.capacityBlocks).toBe(3);

      const second = await open(root, rebindSpec(1));
      expect(await second.cache.get(KEYS)).toEqual([]);
      expect(second.cache.stats().primary.capacityBlocks).toBe(1);
      expect(second.container.get(TOKENS.primaryKvView)).toMatchObject({ numBlocks: 1 });
      expect(second.container.get(TOKENS.offloadingSpec)).toMatchObject({ model: { revision: "rebound" } });
      await Promise.all([first.close(), second.close()]);
    }));

  it("something that is no spec is refused by what it lacks", async () => {
    const configure = (container: Container): void =>
      void container.rebind(TOKENS.offloadingSpec).toConstantValue({ specName: "half" });
    await expect(createTiering(configOf(3, []), { logger: silentLogger, configure })).rejects.toMatchObject({
      code: "INVALID_STATE",
      message: expect.stringMatching(/kv\.offloading-spec.*blockBytes/),
    });
  });
});
