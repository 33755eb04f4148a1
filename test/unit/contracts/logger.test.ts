import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { consoleLogger, safeLogger, silentLogger, type Logger } from "../../../src/contracts/logger.js";

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

describe("safeLogger", () => {
  const LEVELS = ["debug", "info", "warn", "error"] as const;

  it("hands every line on as it is, to the method that is there at the time", () => {
    const lines: unknown[][] = [];
    const logger: Logger = { ...silentLogger };
    const safe = safeLogger(logger);
    for (const level of LEVELS) logger[level] = (...line) => void lines.push([level, ...line]);
    for (const level of LEVELS) safe[level]("a", { x: 1 });
    safe.warn("b");
    expect(lines).toEqual([...LEVELS.map((level) => [level, "a", { x: 1 }]), ["warn", "b"]]);
  });

  it("keeps the logger its `this`", () => {
    class Counting implements Logger {
      lines = 0;
      debug = (): void => {};
      info = (): void => {};
      error = (): void => {};
      warn(): void {
        this.lines++;
      }
    }
    const counting = new Counting();
    safeLogger(counting).warn("a");
    expect(counting.lines).toBe(1);
  });

  it.each(LEVELS)("survives a %s() that throws, rejects, or is missing", async (level) => {
    const refuse = (): never => {
      throw new Error("disk full");
    };
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", onUnhandled);
    const { [level]: _removed, ...rest } = silentLogger;
    const loggers = [{ ...rest, [level]: refuse }, { ...rest, [level]: async () => refuse() }, rest] as Logger[];
    for (const logger of loggers) expect(() => safeLogger(logger)[level]("a")).not.toThrow();
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", onUnhandled);
    expect(unhandled).toEqual([]);
  });
});
