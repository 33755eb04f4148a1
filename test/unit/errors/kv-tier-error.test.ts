import { inspect } from "node:util";
import { describe, expect, it } from "@jest/globals";
import { ERROR_CODES, KvTierError } from "../../../src/errors/kv-tier-error.js";

describe("KvTierError", () => {
  it("is an Error with a code, and keeps its cause", () => {
    const cause = new Error("why");
    const error = new KvTierError("CLOSED", "It is closed.", { cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: "KvTierError",
      code: "CLOSED",
      message: "It is closed.",
      problems: [],
      errors: [],
    });
    expect(error.cause).toBe(cause);
    expect(String(error)).toBe("KvTierError: It is closed.");
    expect("cause" in new KvTierError("CLOSED", "It is closed.")).toBe(false);
    expect("cause" in new KvTierError("CLOSED", "Something threw undefined.", { cause: undefined })).toBe(true);
  });

  it("carries every problem of a config, and every error of a shutdown", () => {
    const problems = [{ path: "a.b", message: "unknown key" }];
    expect(new KvTierError("CONFIG_INVALID", "x", { problems }).problems).toBe(problems);
    const errors = [new Error("a"), "b"];
    expect(new KvTierError("SHUTDOWN_FAILED", "x", { errors }).errors).toBe(errors);
  });

  it("prints its code and cause, and errors only when there are some", () => {
    const plain = inspect(new KvTierError("CLOSED", "It is closed.", { cause: "why" }));
    expect(plain).toMatch(/^KvTierError: It is closed\.\n +at /);
    expect(plain).toContain("code: 'CLOSED'");
    expect(plain).toContain("[cause]: 'why'");
    expect(plain).not.toMatch(/\berrors\b.*:\s*\[/);
    expect(inspect({ error: new KvTierError("SHUTDOWN_FAILED", "x", { errors: ["a"] }) })).toContain(
      "[errors]: [ 'a' ]",
    );
  });

  it("is known by its brand, also when another copy of the package made it", () => {
    class KvTierErrorOfAnotherCopy extends Error {
      readonly code = "CLOSED";
      constructor() {
        super("closed");
        Object.defineProperty(this, Symbol.for("kvtier/error"), { value: true });
      }
    }
    const other = new KvTierErrorOfAnotherCopy();
    expect(other).not.toBeInstanceOf(KvTierError);
    expect(KvTierError.is(other)).toBe(true);
    expect(KvTierError.is(other, "CLOSED")).toBe(true);
    expect(KvTierError.is(other, "INVALID_STATE")).toBe(false);
    expect(KvTierError.is(new KvTierError("CLOSED", "closed"), "CLOSED")).toBe(true);
  });

  it.each([
    undefined,
    null,
    "CLOSED",
    5,
    {},
    new Error("x"),
    Object.assign(new Error("x"), { code: "CLOSED" }),
    () => 0,
  ])("is not %p", (value) => {
    expect(KvTierError.is(value)).toBe(false);
    expect(KvTierError.is(value, "CLOSED")).toBe(false);
  });

  it("has codes that stay", () => {
    expect([...ERROR_CODES]).toEqual([
      "TIER_TYPE_MISSING",
      "TIER_TYPE_UNKNOWN",
      "TIER_ALREADY_REGISTERED",
      "MODULE_NOT_ALLOWED",
      "MODULE_NOT_FOUND",
      "MODULE_LOAD_FAILED",
      "EXPORT_MISSING",
      "NOT_A_TIER",
      "NOT_A_DETECTOR",
      "NOT_A_POLICY",
      "BACKPRESSURE_CLS_MISSING",
      "DETECTOR_UNKNOWN",
      "POLICY_UNKNOWN",
      "CONFIG_INVALID",
      "TIER_INIT_FAILED",
      "SHUTDOWN_FAILED",
      "PEER_DEPENDENCY_MISSING",
      "ADDRESS_INVALID",
      "CLOSED",
      "INVALID_STATE",
    ]);
  });
});
