import { PassThrough } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { ReplayProgress } from "../../../src/cli/replay/replay-progress.js";
import { ManualClock } from "../../../src/testing/manual-clock.js";

const COUNTS = {
  requests: 1200,
  lookedUp: 200,
  unique: 150,
  hits: 50,
  storedBefore: 0,
  verified: 50,
  mismatches: 0,
  firstMismatch: null,
  notStored: 0,
};

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
  const progress = new ReplayProgress(environment, isJson);
  progress.update(0.5, COUNTS);
  progress.stop();
  return String(stream.read() ?? "");
}

describe("ReplayProgress", () => {
  it("shows on a terminal how far it is, and the rate so far", () => {
    const shown = shownBy(true, false);
    expect(shown).toContain("50 % | 1,200 requests | prefix hit rate 25.00 %");
  });

  it("shows nothing in a pipe, nor beside JSON", () => {
    expect(shownBy(false, false)).toBe("");
    expect(shownBy(true, true)).toBe("");
  });
});
