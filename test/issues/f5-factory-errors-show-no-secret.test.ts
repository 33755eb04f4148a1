import { describe, expect, it } from "@jest/globals";
import { inspect } from "node:util";
import { SecondaryTier } from "../../src/decorators/secondary-tier.js";
import { HeldTier } from "../../src/testing/held-tier.js";
import { recordingLogger } from "../support/recording-logger.js";
import { errorOf, testContainer } from "../support/tiering-container.js";

const SECRET = "hunter2";
const URL = `redis://admin:${SECRET}@cache.internal:6379/0?password=${SECRET}`;

/** A client that quotes its address when it cannot connect, as clients do. */
@SecondaryTier("client", { config: "passthrough" })
class ClientTier extends HeldTier {
  override async initialize(): Promise<void> {
    throw new Error(`connect ECONNREFUSED ${URL}`);
  }
}

@SecondaryTier("strict")
class StrictTier extends HeldTier {
  override async shutdown(): Promise<void> {
    throw new Error(`QUIT failed on ${URL}`);
  }
}

const backpressure = (backpressure_cls: string) => ({ backpressure: { backpressure_cls } });

describe("F5: the factory's errors and log lines show no secret", () => {
  it.each([
    ["the reason of a client", { type: "client", url: URL }],
    ["an unknown option", { type: "strict", url: URL, password: SECRET }],
    ["a type", { type: URL }],
    ["the module of a tier", { type: "Mine", module_path: `https://admin:${SECRET}@npm.internal/tier.js` }],
    ["the module of a tier, as a query", { type: "Mine", module_path: `./gone.js?token=${SECRET}` }],
    ["a module that throws", { type: "Mine", module_path: "./throws.js" }],
    ["a detector", { type: "example", ...backpressure(`https://admin:${SECRET}@npm.internal/d.js#D`) }],
    ["an unknown detector", { type: "example", ...backpressure(URL) }],
    ["a locality", { type: "example", locality: URL }],
  ])("where it stands in %s", async (_where, config) => {
    const { logger, lines } = recordingLogger();
    const { factory } = testContainer({ tiers: [ClientTier, StrictTier], logger });
    const error = await errorOf(() => factory.createSecondaryTier(config, { index: 0 }));
    expect(error.message).not.toContain(SECRET);
    expect(JSON.stringify(error)).not.toContain(SECRET);
    expect(inspect(lines)).not.toContain(SECRET);
  });

  it("where a tier cannot close, or two register one name", async () => {
    const { factory } = testContainer({ tiers: [StrictTier] });
    await factory.createSecondaryTier({ type: "strict" });
    expect((await errorOf(() => factory.close())).message).not.toContain(SECRET);
    factory.registerTier("twice", URL, "A");
    expect((await errorOf(() => factory.registerTier("twice", URL, "B"))).message).not.toContain(SECRET);
  });

  it("keeps the original error as the cause, for whoever may see it", async () => {
    const { factory } = testContainer({ tiers: [ClientTier] });
    const error = await errorOf(() => factory.createSecondaryTier({ type: "client" }));
    expect((error.cause as Error).message).toContain(URL);
  });
});
