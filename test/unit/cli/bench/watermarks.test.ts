import { describe, expect, it } from "@jest/globals";
import { recommendWatermarks } from "../../../../src/cli/bench/watermarks.js";

const MIB = 2 ** 20;
const stores = (elapsedS: number, bytes = MIB) => Array.from({ length: 20 }, () => ({ elapsedS, bytes }));

describe("recommendWatermarks", () => {
  it("puts each mark at twice what was seen, alone and loaded", () => {
    const marks = recommendWatermarks(stores(0.001), stores(0.01), 8);
    expect(marks).toMatchObject({ low_water_s: 0.002, high_water_s: 0.02 });
  });

  it("counts in seconds per MiB, whatever the size of a store", () => {
    const marks = recommendWatermarks(stores(0.004, 4 * MIB), stores(0.005, MIB / 2), 8);
    expect(marks).toMatchObject({ low_water_s: 0.002, high_water_s: 0.02 });
  });

  it("keeps the marks apart when load makes no store slower", () => {
    const marks = recommendWatermarks(stores(0.001), stores(0.001), 8);
    expect(marks).toMatchObject({ low_water_s: 0.002, high_water_s: 0.004 });
  });

  it("is not moved by one store in a hundred", () => {
    const alone = [...Array.from({ length: 5 }, () => stores(0.001)).flat(), { elapsedS: 9, bytes: MIB }];
    expect(recommendWatermarks(alone, stores(0.01), 8)).toMatchObject({ low_water_s: 0.002, high_water_s: 0.02 });
  });

  it("recommends no mark of 0, however fast the tier", () => {
    const { low_water_s: low, high_water_s: high } = recommendWatermarks(stores(0), stores(0), 8);
    expect(low).toBeGreaterThan(0);
    expect(high).toBeGreaterThan(low);
  });

  it("gives its reason in figures", () => {
    const { reason } = recommendWatermarks(stores(0.001), stores(0.01), 8);
    expect(reason).toContain("0.001 s/MiB alone");
    expect(reason).toContain("0.01 s/MiB with 8 in flight");
  });
});
