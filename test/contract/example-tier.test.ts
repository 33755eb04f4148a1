import { describe, expect, it } from "@jest/globals";
import { createTierContext, describeSecondaryTier, FaultyTier } from "../../src/testing/index.js";
import { ExampleConfig } from "../../src/tiers/example/example-config.js";
import { ExampleTier } from "../../src/tiers/example/example-tier.js";

const runner = { describe, it, expect };
const config = new ExampleConfig();

describeSecondaryTier("example", (env) => new ExampleTier(createTierContext({ ...env, config })), runner);

describeSecondaryTier(
  "example, recording events",
  (env) => new ExampleTier(createTierContext({ ...env, config, enableKvEvents: true })),
  runner,
);

describeSecondaryTier(
  "example, its results delayed and out of order",
  (env) => new FaultyTier(new ExampleTier(createTierContext({ ...env, config })), { seed: 7, delayS: 0.002 }),
  runner,
);
