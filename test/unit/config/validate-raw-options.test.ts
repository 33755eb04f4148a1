import { describe, expect, it } from "@jest/globals";
import { validateOptions } from "../../../src/config/validate-options.js";
import { DiskOptions } from "./sample-catalog.js";

const problemsOf = (raw: unknown, contract: "passthrough" | null) => validateOptions(contract, raw, "tier").problems;

describe("validateOptions with a pass-through contract", () => {
  it("gives a frozen null-prototype copy that shares no plain data with the caller's object", () => {
    const raw = { any_key: { deep: [1] } };
    const { value, problems } = validateOptions("passthrough", raw, "tier") as {
      value: typeof raw;
      problems: readonly unknown[];
    };
    raw.any_key.deep.push(2);
    expect(problems).toEqual([]);
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(value.any_key.deep).toEqual([1]);
    expect(Object.isFrozen(value.any_key.deep)).toBe(true);
  });

  it("keeps functions and instances by identity, and does not freeze them", () => {
    const live = { client: new Map([["a", 1]]), bytes: new Uint8Array(2), fn: () => 1, config: new DiskOptions() };
    const { value } = validateOptions("passthrough", live, "tier") as { value: typeof live };
    expect(value.client).toBe(live.client);
    expect(value.bytes).toBe(live.bytes);
    expect(value.fn).toBe(live.fn);
    expect(Object.isFrozen(live.client)).toBe(false);
    expect(Object.isFrozen(live.config)).toBe(false);
  });

  it.each(["__proto__", "constructor", "prototype"])("refuses %s at every depth", (key) => {
    const raw: unknown = JSON.parse(`{"a": {${JSON.stringify(key)}: 1}, ${JSON.stringify(key)}: 2}`);
    expect(problemsOf(raw, "passthrough").map(({ path }) => path)).toEqual([`tier.a.${key}`, `tier.${key}`]);
  });
});

describe("validateOptions without options", () => {
  it("gives a frozen empty object, and any key is unknown", () => {
    expect(validateOptions(null, undefined, "tier")).toEqual({ value: {}, problems: [] });
    expect(Object.isFrozen(validateOptions(null, {}, "tier").value)).toBe(true);
    expect(problemsOf({ a: 1 }, null)).toEqual([{ path: "tier.a", message: "unknown key" }]);
  });
});
