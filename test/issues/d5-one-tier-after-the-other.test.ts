import { describe, expect, it } from "@jest/globals";
import { SecondaryTier } from "../../src/decorators/secondary-tier.js";
import { createTestTiering } from "../../src/testing/create-test-tiering.js";
import { HeldTier } from "../../src/testing/held-tier.js";
import { configOf } from "../unit/cache/cache-rig.js";

const order: string[] = [];

@SecondaryTier("slow", { config: "passthrough" })
class SlowTier extends HeldTier {
  override async drainJobs(): ReturnType<HeldTier["drainJobs"]> {
    order.push(`drain ${this.name}`);
    return super.drainJobs();
  }
  override async shutdown(): Promise<void> {
    order.push(`shutdown ${this.name}`);
    await new Promise((resolve) => setImmediate(resolve));
    order.push(`client.quit ${this.name}`);
  }
  get name(): string {
    return (this.context.config as { name: string }).name;
  }
}

describe("D5: a tier is closed, its client too, before the one that was made before it", () => {
  it.each(["close of the cache", "close of the factory"])("by the %s", async (by) => {
    order.length = 0;
    const tiers = ["a", "b"].map((name) => ({ type: "slow", name }));
    const { close, factory } = await createTestTiering(configOf(4, tiers), { tiers: [SlowTier] });
    await (by === "close of the cache" ? close() : factory.close());
    const closing = ["shutdown b", "client.quit b", "shutdown a", "client.quit a"];
    expect(order.filter((entry) => !entry.startsWith("drain"))).toEqual(closing);
    if (by === "close of the cache") expect(order.slice(0, 2)).toEqual(["drain a", "drain b"]);
    await close();
    expect(order.filter((entry) => !entry.startsWith("drain"))).toEqual(closing);
  });
});
