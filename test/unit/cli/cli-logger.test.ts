import { describe, expect, it } from "@jest/globals";
import { lineLogger } from "../../../src/cli/cli-logger.js";

function linesOf(log: (logger: ReturnType<typeof lineLogger>) => void): string[] {
  const lines: string[] = [];
  log(lineLogger((line) => lines.push(line)));
  return lines;
}

describe("lineLogger", () => {
  it("hands on warnings and errors only", () => {
    const lines = linesOf((logger) => {
      logger.debug("a");
      logger.info("b");
      logger.warn("c");
      logger.error("d", {});
    });
    expect(lines).toEqual(["c", "d"]);
  });

  it("keeps each to one line: an error's message and no stack, no secret", () => {
    const fields = { error: new Error("boom"), tier: "fs", count: 2, token: "hunter2", at: { key: "k" } };
    expect(linesOf((logger) => logger.warn("It failed.", fields))).toEqual([
      'It failed. (error: boom) (tier: fs) (count: 2) (token: [redacted]) (at: {"key":"k"})',
    ]);
  });
});
