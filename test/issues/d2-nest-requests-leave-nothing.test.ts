import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Injectable, Scope } from "@nestjs/common";
import { ContextIdFactory } from "@nestjs/core";
import type { TestingModule } from "@nestjs/testing";
import { describe, expect, it } from "@jest/globals";
import type { KvCache } from "../../src/cache/kv-cache.js";
import type { TierContext } from "../../src/contracts/tier-context.js";
import { getKvCacheToken, InjectKvCache } from "../../src/nest/index.js";
import { ExampleTier } from "../../src/tiers/example/example-tier.js";
import { tierToken, TOKENS } from "../../src/tokens.js";
import { cacheModule, nestBlock, nestKeys, turn, withApp } from "../support/nest-app.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

@Injectable({ scope: Scope.REQUEST })
class PerRequest {
  readonly cache: KvCache;
  constructor(@InjectKvCache() cache: KvCache) {
    this.cache = cache;
  }
}

async function serve(app: TestingModule, i: number): Promise<WeakRef<object>> {
  const perRequest = await app.resolve(PerRequest, ContextIdFactory.create());
  (await perRequest.cache.acquire(nestKeys(1), { requestId: `request-${i}` })).release();
  return new WeakRef(perRequest);
}

describe("D2 in Nest: nothing is retained for requests that are over", () => {
  it("makes no tier and no cache for a request, and keeps none of a thousand", async () => {
    let made = 0;
    await withApp(
      { imports: [cacheModule()], providers: [PerRequest] },
      async (app) => {
        await app.get<KvCache>(getKvCacheToken()).put(nestKeys(1), [nestBlock(0)]);
        const references: WeakRef<object>[] = [];
        for (let i = 0; i < 1000; i++) references.push(await serve(app, i));
        for (let i = 0; i < 3; i++) {
          await turn();
          collectGarbage();
        }
        expect(made).toBe(1);
        expect(references.filter((reference) => reference.deref() !== undefined).length).toBeLessThan(2);
      },
      (builder) =>
        builder.overrideProvider(tierToken("example")).useFactory({
          inject: [TOKENS.tierContext],
          factory: (context: TierContext<never>) => {
            made++;
            return new ExampleTier(context);
          },
        }),
    );
  });
});
