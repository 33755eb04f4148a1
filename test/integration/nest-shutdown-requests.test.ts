import { Controller, Get, Module } from "@nestjs/common";
import { Test } from "@nestjs/testing";
import { describe, expect, it } from "@jest/globals";
import type { KvCache } from "../../src/cache/kv-cache.js";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import { InjectKvCache } from "../../src/nest/index.js";
import { createTierContext } from "../../src/testing/create-tier-context.js";
import { HeldTier } from "../../src/testing/held-tier.js";
import { ManualClock } from "../../src/testing/manual-clock.js";
import { tierToken } from "../../src/tokens.js";
import { httpAsk } from "../support/http-ask.js";
import { cacheModule, nestKeys, turn } from "../support/nest-app.js";

/** Has every block, and delivers none. */
class HungTier extends HeldTier {
  override lookup(): LookupResult {
    return LookupResult.Hit;
  }
}

const clock = new ManualClock();
const tier = Object.assign(new HungTier(createTierContext()), { holdsDrains: false });

@Controller()
class Prompts {
  readonly #cache: KvCache;
  constructor(@InjectKvCache() cache: KvCache) {
    this.#cache = cache;
  }
  @Get()
  async serve(): Promise<string> {
    return this.#cache.get(nestKeys(1)).then(
      () => "served",
      (error: { code: string }) => error.code,
    );
  }
}

@Module({ imports: [cacheModule({ clock, shutdownDeadlineS: 4 })], controllers: [Prompts] })
class AppModule {}

describe("app.close() while a request waits for a block", () => {
  it("gives up the request at the deadline, since the server would wait for it for ever", async () => {
    const testing = Test.createTestingModule({ imports: [AppModule] });
    const module = await testing.overrideProvider(tierToken("example")).useValue(tier).compile();
    const app = module.createNestApplication({ logger: false });
    await app.listen(0, "127.0.0.1");
    const answer = httpAsk(await app.getUrl());
    while (tier.held.length === 0) await turn();
    let isClosed = false;
    const closing = app.close().then(() => (isClosed = true));
    while (clock.pendingTimers === 0) await turn();
    expect(isClosed).toBe(false);
    clock.advance(4);
    expect(await answer).toMatchObject({ status: 200, body: "CLOSED" });
    await closing;
  });
});
