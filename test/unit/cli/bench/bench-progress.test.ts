import { PassThrough } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { BenchProgress } from "../../../../src/cli/bench/bench-progress.js";
import { ManualClock } from "../../../../src/testing/manual-clock.js";

function shownBy(isTerminal: boolean, isJson: boolean): string {
  // A terminal, as far as a progress bar asks.
  const stream = Object.assign(new PassThrough(), {
    isTTY: true,
    columns: 120,
    cursorTo: () => {},
    clearLine: () => {},
  });
  const terminal = isTerminal ? stream : null;
  const environment = { out: () => {}, err: () => {}, terminal, clock: new ManualClock(), uniqueId: () => "" };
  const progress = new BenchProgress(environment, isJson, "secondary_tiers[0] (fs)");
  progress.update(0.5);
  progress.stop();
  return String(stream.read() ?? "");
}

describe("BenchProgress", () => {
  it("shows on a terminal which tier it is at, and how far", () => {
    expect(shownBy(true, false)).toContain("50 % | secondary_tiers[0] (fs)");
  });

  it("shows nothing in a pipe, nor beside JSON", () => {
    expect(shownBy(false, false)).toBe("");
    expect(shownBy(true, true)).toBe("");
  });
});
