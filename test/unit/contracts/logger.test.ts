import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { consoleLogger, silentLogger } from "../../../src/contracts/logger.js";

const METHODS = ["debug", "info", "log", "warn", "error"] as const;
const printed: unknown[][] = [];

describe("the loggers", () => {
  beforeEach(() => {
    printed.length = 0;
    for (const method of METHODS) {
      jest.spyOn(console, method).mockImplementation((...parts: unknown[]) => void printed.push([method, ...parts]));
    }
  });
  afterEach(() => void jest.restoreAllMocks());

  it("print warnings and errors on the console, with fields if there are any", () => {
    consoleLogger.debug("a");
    consoleLogger.info("b", { x: 1 });
    consoleLogger.warn("c");
    consoleLogger.error("d", { x: 1 });
    expect(printed).toEqual([
      ["warn", "kvtier: c"],
      ["error", "kvtier: d", { x: 1 }],
    ]);
  });

  it("print nothing at all", () => {
    for (const method of ["debug", "info", "warn", "error"] as const) silentLogger[method]("quiet", {});
    expect(printed).toEqual([]);
  });
});
