import { describe, expect, it } from "@jest/globals";
import { parseConfigText } from "../../../src/config/parse-config-text.js";
import type { KvTierError } from "../../../src/errors/kv-tier-error.js";

function problemsOf(text: string): KvTierError["problems"] {
  try {
    parseConfigText(text, "kv.jsonc");
  } catch (error) {
    expect(error).toMatchObject({ name: "KvTierError", code: "CONFIG_INVALID" });
    return (error as KvTierError).problems;
  }
  throw new Error("the text was accepted");
}

describe("parseConfigText", () => {
  it("reads JSON, comments, trailing commas and a byte order mark", () => {
    const text = '\uFEFF{ // a pool\n  "a": [1, "x", true, null,], /* and */ "b": { "c": -1.5e3 },\n}';
    expect(parseConfigText(text, "kv.jsonc")).toEqual({ a: [1, "x", true, null], b: { c: -1500 } });
  });

  it("says where the syntax is broken, and never what stands there", () => {
    expect(problemsOf('{\n  "password": "hunter2"\n  "a": 1\n}')).toEqual([
      { path: "kv.jsonc:3:3", message: "comma expected" },
    ]);
  });

  it.each([
    ["", "kv.jsonc:1:1"],
    ["{", "kv.jsonc:1:2"],
    ["[1] x", "kv.jsonc:1:5"],
    ["{a: 1}", "kv.jsonc:1:2"],
  ])("refuses %p", (text, path) => expect(problemsOf(text)[0]?.path).toBe(path));

  it("tells of the first fault alone, since what follows is guessed", () => {
    expect(problemsOf('{"a": , "b" 2 }')).toEqual([{ path: "kv.jsonc:1:7", message: "value expected" }]);
  });

  it("refuses a key that stands twice, since one would be lost", () => {
    expect(problemsOf('{"a": {"b": 1,\n "b": 2}}')).toEqual([
      { path: "kv.jsonc:2:2", message: 'the key "b" stands twice in its object' },
    ]);
  });

  it("keeps __proto__ as an own key, for validation to refuse", () => {
    const value = parseConfigText('{"__proto__": {"x": 1}}', "kv.jsonc") as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it("refuses a text that is nested too deeply for the stack", () => {
    const [problem] = problemsOf("[".repeat(200_000));
    expect(problem?.path).toMatch(/^kv\.jsonc:/);
  });
});
