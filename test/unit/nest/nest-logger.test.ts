import { Logger, type LoggerService } from "@nestjs/common";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { getKvCacheToken, KvTierModule, nestLogger } from "../../../src/nest/index.js";
import { nestConfig, withApp } from "../../support/nest-app.js";

const lines: unknown[][] = [];
const keep =
  (level: string) =>
  (...line: unknown[]): void =>
    void lines.push([level, ...line]);
const appLogger: LoggerService = { debug: keep("debug"), log: keep("log"), warn: keep("warn"), error: keep("error") };

beforeAll(() => void Logger.overrideLogger(appLogger));
afterAll(() => void Logger.overrideLogger(false));

describe("nestLogger", () => {
  it("hands each level to the application's logger, with the context", () => {
    lines.length = 0;
    const logger = nestLogger("Mine");
    logger.debug("a");
    logger.info("b");
    logger.warn("c");
    logger.error("d");
    expect(lines.map(([level, message, ...more]) => [level, message, more.at(-1)])).toEqual([
      ["debug", "a", "Mine"],
      ["log", "b", "Mine"],
      ["warn", "c", "Mine"],
      ["error", "d", "Mine"],
    ]);
  });

  it("has fields in the text, on one line", () => {
    lines.length = 0;
    nestLogger("Mine").warn("Gone", { tier: "fs", error: "it broke", many: Array.from({ length: 9 }, (_, i) => i) });
    expect(lines[0]?.[1]).toBe("Gone { tier: 'fs', error: 'it broke', many: [ 0, 1, 2, 3, 4, 5, 6, 7, 8 ] }");
  });

  it("is what a cache logs to, under its name", async () => {
    const config = nestConfig([{ type: "example", enable_kv_events: true }]);
    const imports = [KvTierModule.forRoot({ config }), KvTierModule.forRoot({ config, name: "draft" })];
    await withApp(
      { imports },
      async (app) => {
        Logger.overrideLogger(appLogger);
        expect(app.get(getKvCacheToken())).toBeDefined();
      },
      (builder) => builder.setLogger(appLogger),
    );
    const contexts = lines
      .filter(([, message]) => String(message).includes("enable_kv_events"))
      .map((line) => line.at(-1));
    expect(contexts.sort()).toEqual(["KvTier", "KvTier:draft"]);
  });
});
