import { describe, expect, it } from "@jest/globals";
import { Container } from "inversify";
import { PrimaryKvView } from "../../../../src/primary/primary-kv-view.js";
import { createTierContext } from "../../../../src/testing/create-tier-context.js";
import { ExampleConfig } from "../../../../src/tiers/example/example-config.js";
import { ExampleTier } from "../../../../src/tiers/example/example-tier.js";
import { TOKENS, tierToken } from "../../../../src/tokens.js";
import { jobOf, keyOf, settle } from "../shared/fake-store.js";

const configOf = (capacityBlocks?: number): ExampleConfig =>
  Object.assign(new ExampleConfig(), capacityBlocks === undefined ? {} : { capacityBlocks });

describe("ExampleTier", () => {
  it("gets its context by injection, without a constructor of its own", () => {
    const container = new Container();
    const context = createTierContext({ tierType: "example", config: configOf() });
    container.bind(TOKENS.tierContext).toConstantValue(context);
    container.bind(tierToken("example")).to(ExampleTier);
    const tier = container.get<ExampleTier>(tierToken("example"));
    expect([tier.tierType, tier.medium, tier.blockBytes]).toEqual(["example", "CPU", 256]);
  });

  it("drops the least recently used block beyond its capacity", async () => {
    const tier = new ExampleTier(createTierContext({ config: configOf(2) }));
    tier.submitStore(jobOf([1, 2]));
    await settle();
    tier.submitLoad(jobOf([1], [40]));
    await settle();
    tier.submitStore(jobOf([3]));
    await settle();
    expect(await tier.exists([1, 2, 3].map(keyOf))).toEqual([true, false, true]);
  });

  it("keeps a copy, also of a block that is a Buffer", async () => {
    const memory = Buffer.alloc(1024, 7);
    const tier = new ExampleTier(
      createTierContext({ config: configOf(), primaryKvView: PrimaryKvView.wrap(memory, 256) }),
    );
    await tier.write(keyOf(1), memory.subarray(0, 256));
    memory.fill(0);
    const into = new Uint8Array(256);
    await tier.read(keyOf(1), into);
    expect(into).toEqual(new Uint8Array(256).fill(7));
  });

  it("takes ten thousand blocks at once", async () => {
    class Roomy extends ExampleTier {
      protected override get limits() {
        return { ...super.limits, maxQueuedBlocks: 10_000 };
      }
    }
    const tier = new Roomy(createTierContext({ config: configOf() }));
    for (let n = 0; n < 10_000; n++) tier.submitStore(jobOf([n], [n % 64]));
    await settle();
    const results = tier.getFinishedJobs();
    expect([results.length, results.every((result) => result.success)]).toEqual([10_000, true]);
  });
});
