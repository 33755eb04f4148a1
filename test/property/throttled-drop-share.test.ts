import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { ThrottledDropConfig } from "../../src/backpressure/throttled-drop-config.js";
import { ThrottledDropPolicy } from "../../src/backpressure/throttled-drop-policy.js";
import { detectorSaying } from "../unit/backpressure/fixtures.js";

const share = fc.double({ min: 0, max: 1, noNaN: true });
const calls = fc.integer({ min: 1, max: 2000 });

/** Which of `n` stores are dropped at a constant share. */
function dropsAt(rate: number, n: number): boolean[] {
  const policy = new ThrottledDropPolicy(new ThrottledDropConfig());
  const detector = detectorSaying({ pressured: true, overshoot: rate * 2 });
  return Array.from({ length: n }, () => !policy.shouldStore(detector));
}

const count = (dropped: boolean[]) => dropped.filter(Boolean).length;

describe("the share that ThrottledDropPolicy drops", () => {
  it("is the computed share, to within one store, at every moment", () => {
    fc.assert(
      fc.property(share, calls, (rate, n) => {
        let dropped = 0;
        let worst = 0;
        dropsAt(rate, n).forEach((drop, i) => {
          if (drop) dropped += 1;
          worst = Math.max(worst, Math.abs(dropped - rate * (i + 1)));
        });
        expect(worst).toBeLessThan(1);
      }),
    );
  });

  it("never shrinks when the pressure grows", () => {
    fc.assert(
      fc.property(share, share, calls, (a, b, n) => {
        expect(count(dropsAt(Math.min(a, b), n))).toBeLessThanOrEqual(count(dropsAt(Math.max(a, b), n)));
      }),
    );
  });

  it("comes without two drops in a row up to one half, and without two stores in a row from there", () => {
    fc.assert(
      fc.property(share, calls, (rate, n) => {
        const dropped = dropsAt(rate, n);
        const unwanted = rate < 0.5;
        expect(dropped.findIndex((drop, i) => i > 0 && drop === unwanted && dropped[i - 1] === unwanted)).toBe(-1);
      }),
    );
  });

  it("adds up when the pressure changes from call to call", () => {
    fc.assert(
      fc.property(fc.array(share, { maxLength: 500 }), (rates) => {
        const policy = new ThrottledDropPolicy(new ThrottledDropConfig());
        const dropped = rates.filter(
          (rate) => !policy.shouldStore(detectorSaying({ pressured: true, overshoot: rate * 2 })),
        );
        const computed = rates.reduce((sum, rate) => sum + rate, 0);
        expect(Math.abs(dropped.length - computed)).toBeLessThan(1);
      }),
    );
  });
});
