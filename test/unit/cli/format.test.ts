import { describe, expect, it } from "@jest/globals";
import { formatCount, formatSeconds, formatShare, formatTable } from "../../../src/cli/format.js";

describe("formats", () => {
  it.each([
    [0, "0 µs"],
    [0.00085, "850 µs"],
    [0.0032, "3.2 ms"],
    [0.0159, "15.9 ms"],
    [1.254, "1.25 s"],
    [3725, "3725 s"],
  ])("shows %d s in the unit that fits", (seconds, text) => {
    expect(formatSeconds(seconds)).toBe(text);
  });

  it("shows shares and counts", () => {
    expect([formatShare(0.289063), formatCount(54_559)]).toEqual(["28.91 %", "54,559"]);
  });

  it("aligns the columns of a table", () => {
    const lines = formatTable(["Tier", "Hits"], [["a", "1"], ["b", "10"]], "right").split("\n"); // prettier-ignore
    expect(lines).toContain("│ a    │    1 │");
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  });
});
