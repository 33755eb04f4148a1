import { describe, expect, it } from "@jest/globals";
import { Container } from "inversify";
import type { KvCache } from "../../src/cache/kv-cache.js";
import { getKvCacheToken } from "../../src/nest/index.js";
import { rebindTier } from "../../src/testing/rebind-tier.js";
import { HeldTier } from "../../src/testing/held-tier.js";
import { createTierContext } from "../../src/testing/create-tier-context.js";
import { cacheModule, nestBlock, nestConfig, nestKeys, withApp } from "../support/nest-app.js";

describe("D7 in Nest: rebinding after the cache is made", () => {
  it("leaves the cache as it is, and shows in the next application", async () => {
    const container = new Container();
    const late = Object.assign(new HeldTier(createTierContext()), { holdsDrains: false });
    const stores = async (module = cacheModule()): Promise<number> => {
      await withApp({ imports: [module] }, async (app) => {
        if (container.isBound("kv.tier:example")) rebindTier(container, "example", late);
        await app.get<KvCache>(getKvCacheToken()).put(nestKeys(1), [nestBlock(0)]);
      });
      return late.submitted.length;
    };
    expect(await stores(cacheModule({ container }))).toBe(0);
    expect(await stores(cacheModule({ configure: (fresh) => rebindTier(fresh, "example", late) }))).toBe(1);
  });

  it("does not change the config of a cache that runs; one that is made later has the new one", async () => {
    const config = structuredClone(nestConfig([], 4)) as { cpu_bytes_to_use: number };
    const capacity = async (change = (): void => {}): Promise<number> =>
      withApp({ imports: [cacheModule({}, config as never)] }, async (app) => {
        change();
        return app.get<KvCache>(getKvCacheToken()).stats().primary.capacityBlocks;
      });
    expect(await capacity(() => void (config.cpu_bytes_to_use *= 2))).toBe(4);
    expect(await capacity()).toBe(8);
  });
});
