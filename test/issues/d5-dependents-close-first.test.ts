import { describe, expect, it } from "@jest/globals";
import type { TierContext } from "../../src/contracts/tier-context.js";
import { SecondaryTier } from "../../src/decorators/secondary-tier.js";
import { createTestTiering, type TestTiering } from "../../src/testing/create-test-tiering.js";
import { BlockStoreTier } from "../../src/tiers/shared/block-store-tier.js";
import { bytesOf, configOf, keysOf } from "../unit/cache/cache-rig.js";

const order: string[] = [];

/** Such as a connection to a server. */
class Client {
  readonly writes: (() => void)[] = [];
  set(): Promise<void> {
    return new Promise((resolve) => this.writes.push(resolve));
  }
  async quit(): Promise<void> {
    await Promise.resolve();
    order.push("client.quit");
  }
}

let client = new Client();

@SecondaryTier("remote")
class RemoteTier extends BlockStoreTier {
  constructor(context: TierContext) {
    super(context);
  }
  async exists(keys: readonly unknown[]): Promise<boolean[]> {
    return keys.map(() => false);
  }
  async read(): Promise<void> {}
  async write(): Promise<void> {
    await client.set();
    order.push("stored");
  }
  override async drainJobs(options?: { deadlineS?: number }): ReturnType<BlockStoreTier["drainJobs"]> {
    const result = await super.drainJobs(options);
    order.push("drained");
    return result;
  }
  override async shutdown(): Promise<void> {
    order.push("tier.shutdown");
    await super.shutdown();
    await client.quit();
  }
}

async function open(): Promise<TestTiering> {
  order.length = 0;
  client = new Client();
  return createTestTiering(configOf(4, [{ type: "remote" }]), { tiers: [RemoteTier] });
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("D5: what depends closes before what it depends on", () => {
  it("the store that is out completes, then the tier closes, then its client", async () => {
    const { cache, close } = await open();
    await cache.put(keysOf(1), [bytesOf(1)]);
    const closing = close();
    await turn();
    expect(order).toEqual([]);
    for (const write of client.writes) write();
    await closing;
    expect(order).toEqual(["stored", "drained", "tier.shutdown", "client.quit"]);
    expect(cache.stats().tiers[0]).toMatchObject({ bytesWritten: 16 });
  });

  it("each once, however often and at once it is closed", async () => {
    const { close, factory, manager } = await open();
    await Promise.all([close(), close()]);
    await close();
    await manager.shutdown();
    await factory.close();
    expect(order).toEqual(["drained", "tier.shutdown", "client.quit"]);
  });

  it("a flush that is under way resolves when the last store has ended", async () => {
    const { cache, close } = await open();
    await cache.put(keysOf(1), [bytesOf(1)]);
    const flushing = cache.flush().then(() => order.push("flushed"));
    const closing = close();
    await turn();
    for (const write of client.writes) write();
    await Promise.all([flushing, closing]);
    expect(order.indexOf("flushed")).toBeGreaterThan(order.indexOf("stored"));
  });
});
