import { describe, expect, it } from "@jest/globals";
import * as factory from "../../../src/errors/factory-errors.js";
import * as modules from "../../../src/errors/module-errors.js";

const cause = new Error("disk is full");

describe("messages of the factory's errors", () => {
  it.each([
    [
      factory.tierTypeUnknown("x", "secondary_tiers[0]", []),
      "TIER_TYPE_UNKNOWN",
      "Unknown secondary tier type 'x' in secondary_tiers[0]. Supported types: (none). For a tier of your own, " +
        "register it, or set 'module_path' to the module that exports a class of that name.",
    ],
    [
      factory.tierTypeUnknown("fss", "The tier config", ["fs"], " Did you mean fs?"),
      "TIER_TYPE_UNKNOWN",
      "Unknown secondary tier type 'fss' in the tier config. Did you mean fs? Supported types: fs. For a tier of your " +
        "own, register it, or set 'module_path' to the module that exports a class of that name.",
    ],
    [
      factory.notAComponent("NOT_A_TIER", "It", "SecondaryTierManager", null, ["A", "B"]),
      "NOT_A_TIER",
      "It is not a class. It must implement SecondaryTierManager. Did you mean A or B?",
    ],
    [
      factory.componentAlreadyRegistered("policy", "p", "A", "B"),
      "INVALID_STATE",
      "The policy 'p' is already registered by A, so B cannot register it too. Choose another name; to replace the " +
        "implementation, rebind its token instead.",
    ],
    [
      factory.notAComponent("NOT_A_POLICY", "It", "BackpressurePolicy", ["a", "b"]),
      "NOT_A_POLICY",
      "It has no a, b. It must implement BackpressurePolicy.",
    ],
    [
      factory.notAComponent("NOT_A_TIER", "It", "SecondaryTierManager", null),
      "NOT_A_TIER",
      "It is not a class. It must implement SecondaryTierManager.",
    ],
    [
      factory.tierInitFailed("secondary_tiers[0] ('fs')", "initialize", cause),
      "TIER_INIT_FAILED",
      "secondary_tiers[0] ('fs'): initialize failed: disk is full",
    ],
    [factory.shutdownFailed("Tiers", [cause, "b"]), "SHUTDOWN_FAILED", "Tiers: 2 failed to shut down: disk is full; b"],
    [factory.closed("The cache"), "CLOSED", "The cache is closed. Create a new one."],
    [
      factory.resolutionCycle("kv.tier:a", cause),
      "INVALID_STATE",
      "Resolving 'kv.tier:a' asks for 'kv.tier:a' again, directly or through other bindings such as " +
        "'kv.tiering-manager' or 'kv.cache', which are made from the tiers. Break the cycle: a tier takes what it needs " +
        "from its context.",
    ],
    [
      factory.tieringNotReady("kv.cache", { owner: "Secondary tier 'a'", path: ["kv.tier:a"] }),
      "INVALID_STATE",
      "'kv.cache' is not available yet. It is made from the tiers, and Secondary tier 'a' is being made, which asks " +
        "for it: kv.tier:a → kv.cache → kv.tier:a is a cycle.",
    ],
  ])("%#: %s", (error, code, message) => {
    expect(error).toMatchObject({ code, message });
  });

  it("name the tier when they are about its class, and keep code and cause", () => {
    const error = modules.moduleLoadFailed("x", "/app", cause);
    expect(factory.classErrorOf("secondary_tiers[0] ('A')", error)).toMatchObject({
      code: "MODULE_LOAD_FAILED",
      message: `secondary_tiers[0] ('A'): ${error.message}`,
      cause,
    });
    for (const other of [factory.closed("It"), new Error("x"), undefined]) {
      expect(factory.classErrorOf("secondary_tiers[0] ('A')", other)).toBe(other);
    }
  });

  it("keep what was thrown", () => {
    expect(factory.tierInitFailed("x", "initialize", cause).cause).toBe(cause);
    expect(factory.resolutionCycle("x", cause).cause).toBe(cause);
    const errors = [cause, "b"];
    expect(factory.shutdownFailed("x", errors)).toMatchObject({ errors, cause: "b" });
  });
});

describe("messages of errors about modules", () => {
  it.each([
    [
      modules.moduleNotAllowed("x", "/app", "it is elsewhere"),
      "MODULE_NOT_ALLOWED",
      "Module 'x' (from /app) may not be loaded: it is elsewhere. Allowed are packages by name and files under /app; " +
        "anything else needs an entry in 'allowModules'.",
    ],
    [
      modules.moduleNotFound("x", "/app", " Look again.", cause),
      "MODULE_NOT_FOUND",
      "Module 'x' was not found from /app. Look again. (disk is full)",
    ],
    [
      modules.moduleLoadFailed("x", "/app", cause),
      "MODULE_LOAD_FAILED",
      "Module 'x' (from /app) threw while loading: disk is full",
    ],
    [
      modules.moduleLoadFailed(
        "./x.ts",
        "/app",
        Object.assign(new TypeError("?"), { code: "ERR_UNKNOWN_FILE_EXTENSION" }),
      ),
      "MODULE_LOAD_FAILED",
      "Module './x.ts' (from /app) threw while loading: ?. Point at the compiled .js instead.",
    ],
    [
      modules.moduleLoadFailed("./x.ts", "/app", cause),
      "MODULE_LOAD_FAILED",
      "Module './x.ts' (from /app) threw while loading: disk is full",
    ],
    [
      modules.exportMissing("x", "/app", "A", ["B", "C"]),
      "EXPORT_MISSING",
      "Module 'x' (from /app) has no export 'A'. It exports: B, C.",
    ],
  ])("%#: %s", (error, code, message) => {
    expect(error).toMatchObject({ code, message });
  });
});

describe("the reason that a message gives", () => {
  it.each([
    [new Error("because"), "because"],
    ["because", "because"],
    [{ message: "because" }, "because"],
    [5, "5"],
    [undefined, "undefined"],
    [Symbol("s"), "Symbol(s)"],
    [new Error(""), "no reason was given"],
    [Object.create(null), "no reason was given"],
    [{ message: 5 }, "no reason was given"],
  ])("for %p is %p", (thrown, reason) => {
    expect(factory.reasonOf(thrown)).toBe(reason);
  });

  it("shows no credentials of a URL", () => {
    const thrown = new Error("connect redis://admin:hunter2@cache:6379/0?password=swordfish failed");
    expect(factory.reasonOf(thrown)).toBe("connect redis://[redacted]@cache:6379/0?password=[redacted] failed");
  });
});
