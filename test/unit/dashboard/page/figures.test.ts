import { describe, expect, it } from "@jest/globals";
import { ago, byteRate, bytes, count, duration, inUnit, percent } from "../../../../src/dashboard/page/format.js";
import { niceTop } from "../../../../src/dashboard/page/scale.js";

/** With plain spaces. */
const plain = (text: string): string => text.replaceAll("\u00a0", " ");

describe("the figures of the page", () => {
  it.each([
    [bytes(0), "0 B"],
    [bytes(1000), "1,000 B"],
    [bytes(1536), "1.5 KiB"],
    [bytes(12.34 * 2 ** 20), "12.3 MiB"],
    [byteRate(3 * 2 ** 30), "3 GiB/s"],
    [count(0.42), "0.42"],
    [count(4.25), "4.25"],
    [count(99_999), "99,999"],
    [count(123_456), "123 k"],
    [count(12_345_678), "12.3 M"],
    [percent(null), "–"],
    [percent(0.6234), "62.3 %"],
    [duration(0), "0 s"],
    [duration(0.00085), "850 µs"],
    [duration(0.0032), "3.2 ms"],
    [duration(1.25), "1.25 s"],
    [inUnit("s/MiB")(0.014), "14 ms/MiB"],
    [inUnit("jobs")(3), "3 jobs"],
    [ago(0), "now"],
    [ago(59.6), "1 min ago"],
    [ago(125), "2 min 5 s ago"],
  ])("are shown as %j", (shown, expected) => {
    expect(plain(shown)).toBe(expected);
  });

  it.each([
    [0, false, 1],
    [3, false, 4],
    [0.7, false, 0.8],
    [170, false, 200],
    [0, true, 2 ** 20],
    [5.5 * 2 ** 20, true, 8 * 2 ** 20],
    [1023, true, 2000],
  ])("up to %d have a scale (of bytes: %j) that ends at %d", (highest, isBytes, top) => {
    expect(niceTop(highest, isBytes)).toBeCloseTo(top, 9);
  });
});
