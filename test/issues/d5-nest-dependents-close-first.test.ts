import { Injectable, type OnApplicationShutdown } from "@nestjs/common";
import { describe, expect, it } from "@jest/globals";
import { inject } from "inversify";
import type { KvCache } from "../../src/cache/kv-cache.js";
import type { TierContext } from "../../src/contracts/tier-context.js";
import { SecondaryTier } from "../../src/decorators/secondary-tier.js";
import { getKvCacheToken, KvTierModule } from "../../src/nest/index.js";
import { BlockStoreTier } from "../../src/tiers/shared/block-store-tier.js";
import { silentLogger } from "../../src/contracts/logger.js";
import { TOKENS } from "../../src/tokens.js";
import { nestBlock, nestConfig, nestKeys, startApp, turn } from "../support/nest-app.js";

const order: string[] = [];
let answer = (): void => {};

@Injectable()
class Client implements OnApplicationShutdown {
  set(): Promise<void> {
    return new Promise((resolve) => (answer = resolve));
  }
  onApplicationShutdown(): void {
    order.push("client.quit");
  }
}

@SecondaryTier("remote")
class RemoteTier extends BlockStoreTier {
  readonly client: Client;
  constructor(@inject(TOKENS.tierContext) context: TierContext, @inject("app.client") client: Client) {
    super(context);
    this.client = client;
  }
  async exists(keys: readonly unknown[]): Promise<boolean[]> {
    return keys.map(() => false);
  }
  async read(): Promise<void> {}
  async write(): Promise<void> {
    await this.client.set();
    order.push("stored");
  }
  override async drainJobs(options?: { deadlineS?: number }): ReturnType<BlockStoreTier["drainJobs"]> {
    const drained = await super.drainJobs(options);
    order.push("drain");
    return drained;
  }
  override async shutdown(): Promise<void> {
    await super.shutdown();
    order.push("tier.shutdown");
  }
}

describe("D5 in Nest: a tier of the application closes before the client that Nest holds", () => {
  it("awaits the store that is out, drains, closes the tier, then the client, once each", async () => {
    const module = KvTierModule.forRootAsync({
      tiers: [RemoteTier],
      provideInjectionTokensFrom: [Client],
      inject: [Client],
      useFactory: (client: Client) => ({
        config: nestConfig([{ type: "remote" }]),
        logger: silentLogger,
        configure: (container) => void container.bind("app.client").toConstantValue(client),
      }),
    });
    const app = await startApp({ imports: [module] });
    await app.get<KvCache>(getKvCacheToken()).put(nestKeys(1), [nestBlock(0)]);
    const closing = app.close();
    await turn();
    expect(order).toEqual([]);
    answer();
    await closing;
    await app.close();
    // A provider's hook comes once for each close of Nest's; it is the application's to make it harmless.
    expect(order.filter((entry, i) => order.indexOf(entry) === i)).toEqual([
      "stored",
      "drain",
      "tier.shutdown",
      "client.quit",
    ]);
    expect(order.filter((entry) => entry === "tier.shutdown")).toHaveLength(1);
  });
});
