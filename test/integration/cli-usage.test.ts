import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { kvtier } from "../support/cli-run.js";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

describe("the kvtier command", () => {
  it("prints its version", async () => {
    expect(await kvtier("--version")).toEqual({ code: 0, out: `${version}\n`, err: "" });
  });

  it.each([[["--help"]], [["help"]], [["replay", "--help"]]])("explains itself: %j", async (args) => {
    const { code, out, err } = await kvtier(...args);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("Usage: kvtier");
  });

  it("lists its commands and exit codes", async () => {
    const { out } = await kvtier("--help");
    for (const text of ["validate", "inspect", "doctor", "replay", "Exit codes"]) expect(out).toContain(text);
  });

  it.each([
    [["frobnicate"], "unknown command 'frobnicate'"],
    [["validat", "x"], "Did you mean validate?"],
    [["validate"], "missing required argument 'config'"],
    [["validate", "a", "b"], "too many arguments"],
    [["inspect", "x", "--yaml"], "unknown option '--yaml'"],
    [["replay", "trace.jsonl"], "required option '--config <file>' not specified"],
    [["replay", "t", "--config", "c", "--limit", "0"], "It must be a whole number, at least 1."],
    [["replay", "t", "--config", "c", "--limit", "1e3"], "It must be a whole number, at least 1."],
    [["replay", "t", "--config", "c", "--block-bytes", "0"], "It must be a whole number of bytes, or a size"],
    [["replay", "t", "--config", "c", "--block-bytes", "4 cats"], "It must be a whole number of bytes, or a size"],
    [["doctor", "c", "--timeout", "-1"], "It must be a number of seconds above 0."],
  ])("refuses %j as wrong usage", async (args, message) => {
    const { code, out, err } = await kvtier(...args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
  });

  it("takes a call without a command as wrong usage, and shows the help", async () => {
    const { code, out, err } = await kvtier();
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("Usage: kvtier");
  });
});
