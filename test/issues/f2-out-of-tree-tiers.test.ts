import { describe, expect, it } from "@jest/globals";
import { ExampleTier } from "../../src/tiers/example/example-tier.js";
import { FsTier } from "../../src/tiers/fs/fs-tier.js";
import { errorOf, FIXTURES, testContainer } from "../support/tiering-container.js";

describe("F2: tiers by their module", () => {
  it("(a) are never imported for a type that is known: built-in, registered, given, or bound", async () => {
    const imported: string[] = [];
    const { factory, container } = testContainer({
      importer: async (specifier) => {
        imported.push(specifier);
        return { acme: ExampleTier };
      },
    });
    expect(await factory.getTierClass({ type: "fs", module_path: "./mine.js" })).toBe(FsTier);
    expect(await factory.createSecondaryTier({ type: "example", module_path: "./mine.js" })).toBeInstanceOf(
      ExampleTier,
    );
    factory.registerTier("registered", "registered-module", "acme");
    await factory.createSecondaryTier({ type: "registered", module_path: "./mine.js" });
    container.bind("kv.tier:bound").to(ExampleTier);
    await factory.createSecondaryTier({ type: "bound", module_path: "./mine.js" });
    expect(imported).toEqual(["registered-module"]);
  });

  it("(a) cannot shadow a built-in type with an export of its name", async () => {
    const { factory } = testContainer();
    const target = await factory.getTierClass({ type: "fs", module_path: "./acme.ts" });
    expect(target).toBe(FsTier);
  });

  it("(b) of an unknown type without a module are an error that names the type and what is known", async () => {
    const { factory } = testContainer();
    const error = await errorOf(() => factory.createSecondaryTier({ type: "Mine" }));
    expect(error).toMatchObject({ code: "TIER_TYPE_UNKNOWN" });
    expect(error.message).toContain("Unknown secondary tier type 'Mine'");
    expect(error.message).toContain("Supported types: example, fs");
    expect(error.message).toContain("module_path");
  });

  it("(c) that the module does not export are an error that names both, and what there is", async () => {
    const { factory } = testContainer();
    const error = await errorOf(() => factory.createSecondaryTier({ type: "Mine", module_path: "./acme.ts" }));
    expect(error).toMatchObject({ code: "EXPORT_MISSING" });
    expect(error.message).toContain(`Module './acme.ts' (from ${FIXTURES}) has no export 'Mine'.`);
    expect(error.message).toContain("AcmeTier");
  });

  it("(d) whose module throws are an error with the original one as its cause", async () => {
    const { factory } = testContainer();
    const error = await errorOf(() => factory.createSecondaryTier({ type: "Mine", module_path: "./throws.js" }));
    expect(error).toMatchObject({ code: "MODULE_LOAD_FAILED", cause: { name: "TypeError" } });
    expect((error.cause as Error).message).toContain("no route to");
  });

  it("are told from modules that are not there, and from those that may not be loaded", async () => {
    const { factory } = testContainer();
    const codeOf = async (module_path: string) =>
      Reflect.get(await errorOf(() => factory.createSecondaryTier({ type: "Mine", module_path })), "code") as string;
    expect(await codeOf("./gone.js")).toBe("MODULE_NOT_FOUND");
    expect(await codeOf("gone-package")).toBe("MODULE_NOT_FOUND");
    expect(await codeOf("./lacks-import.js")).toBe("MODULE_LOAD_FAILED");
    expect(await codeOf("../modules-of-others.js")).toBe("MODULE_NOT_ALLOWED");
    expect(await codeOf("https://example.org/tier.js")).toBe("MODULE_NOT_ALLOWED");
  });
});
