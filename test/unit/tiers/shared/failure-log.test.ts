import { describe, expect, it } from "@jest/globals";
import { ManualClock } from "../../../../src/testing/manual-clock.js";
import { FailureLog } from "../../../../src/tiers/shared/failure-log.js";
import { recordingLogger } from "../../../support/recording-logger.js";

function setUp(): { log: FailureLog; clock: ManualClock; warnings: () => unknown[] } {
  const clock = new ManualClock();
  const { logger, lines } = recordingLogger();
  const warnings = (): unknown[] =>
    lines.filter(({ level }) => level === "warn").map(({ message, fields }) => [message, fields]);
  return { log: new FailureLog(logger, clock), clock, warnings };
}

describe("FailureLog", () => {
  it("warns once of each kind, by message and cause", () => {
    const { log, warnings } = setUp();
    for (let i = 0; i < 1000; i++) {
      log.failed("A store failed", {}, "ENOSPC");
      log.failed("A store failed", {}, "EIO");
      log.failed("A load failed", {});
    }
    expect(warnings()).toEqual([
      ["A store failed", {}],
      ["A store failed", {}],
      ["A load failed", {}],
    ]);
  });

  it("says after a minute how many there were since", () => {
    const { log, clock, warnings } = setUp();
    for (let i = 0; i < 11; i++) log.failed("A store failed", { i }, "ENOSPC");
    clock.advance(60);
    log.failed("A store failed", { i: 11 }, "ENOSPC");
    expect(warnings()).toEqual([
      ["A store failed", { i: 0 }],
      ["A store failed", { i: 11, unlogged: 10 }],
    ]);
  });

  it("remembers only so many kinds", () => {
    const { log, warnings } = setUp();
    for (let i = 0; i < 1000; i++) log.failed("A store failed", {}, `E${i}`);
    expect(warnings()).toHaveLength(1000);
  });
});
