import { describe, expect, it } from "@jest/globals";
import { recordingLogger } from "../../support/recording-logger.js";
import { testContainer } from "../../support/tiering-container.js";

describe("a tier from a module that nobody registered", () => {
  it("is warned of once per process, and its module is told each time", async () => {
    const { logger, lines } = recordingLogger();
    const [first, second] = [testContainer({ logger }), testContainer({ logger })];
    first.factory.registerTier("acme", "./acme.ts", "AcmeTier");
    await first.factory.createSecondaryTier({ type: "acme" });
    await first.factory.createSecondaryTier({ type: "example", module_path: "./acme.ts" });
    expect(lines.filter(({ level }) => level === "warn")).toEqual([]);
    lines.length = 0;

    await first.factory.createSecondaryTier({ type: "AcmeTier", module_path: "./acme.ts" });
    await second.factory.getTierClass({ type: "FreeTier", module_path: "./acme.ts" });
    expect(lines).toEqual([
      {
        level: "warn",
        message:
          "Secondary tier 'AcmeTier' comes from module './acme.ts'. The interface for tiers of your own is experimental " +
          "and may change.",
        fields: { type: "AcmeTier", modulePath: "./acme.ts" },
      },
      {
        level: "info",
        message: "Secondary tier 'FreeTier' comes from module './acme.ts'.",
        fields: { type: "FreeTier", modulePath: "./acme.ts" },
      },
    ]);
  });
});
