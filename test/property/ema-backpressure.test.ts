import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { emaDetector, MIB, SetClock } from "../unit/backpressure/fixtures.js";

/** What may happen to a detector: a store completes, time passes, someone asks, a store wants to go ahead. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ complete: fc.double({ min: 0, max: 0.05, noNaN: true }) }) },
  { weight: 2, arbitrary: fc.record({ wait: fc.double({ min: 0, max: 3, noNaN: true }) }) },
  { weight: 2, arbitrary: fc.constant("ask" as const) },
  { weight: 3, arbitrary: fc.constant("store" as const) },
  { weight: 1, arbitrary: fc.constant("calm" as const) },
);

const options = fc
  .record({
    marks: fc.tuple(fc.double({ min: 1e-4, max: 0.03, noNaN: true }), fc.double({ min: 1e-4, max: 0.03, noNaN: true })),
    alpha: fc.double({ min: 0.05, max: 1, noNaN: true }),
    warmupCompletions: fc.integer({ min: 0, max: 4 }),
    decayHalfLifeS: fc.constantFrom(0, 0.5, 2),
    cooldownS: fc.constantFrom(0, 1, 4),
  })
  .map(({ marks, ...rest }) => ({ ...rest, lowWaterS: Math.min(...marks), highWaterS: Math.max(...marks) }));

type Options = typeof options extends fc.Arbitrary<infer T> ? T : never;

/** The rules once more, from the history of samples alone, as slowly and plainly as possible. */
class Model {
  now = 0;
  ema = 0;
  emaAt = 0;
  on = false;
  clearedAt: number | undefined;
  sinceCleared = 0;
  readonly samples: number[] = [];
  readonly belowLow: boolean[] = [];

  constructor(readonly o: Options) {}

  complete(sample: number): void {
    this.samples.push(sample);
    const warm = this.o.warmupCompletions;
    if (this.samples.length < warm) return;
    this.emaAt = this.now;
    if (this.samples.length === warm) {
      this.ema = this.samples.reduce((a, b) => a + b, 0) / warm;
      return;
    }
    this.ema = this.o.alpha * sample + (1 - this.o.alpha) * this.ema;
    this.belowLow.push(this.ema < this.o.lowWaterS);
    if (this.ema > this.o.highWaterS) this.on = true;
    else if (this.ema < this.o.lowWaterS && this.on) this.clear();
  }

  pressured(): boolean {
    if (this.on && this.o.decayHalfLifeS > 0) {
      this.ema /= 2 ** ((this.now - this.emaAt) / this.o.decayHalfLifeS);
      this.emaAt = this.now;
      if (this.ema < this.o.lowWaterS) this.clear();
    }
    return this.on;
  }

  healthy(): boolean {
    return !this.on && this.belowLow.length >= 10 && this.belowLow.slice(-10).every(Boolean);
  }

  store(): boolean {
    if (this.healthy()) return true;
    if (!this.on && this.clearedAt !== undefined && this.now - this.clearedAt < this.o.cooldownS) {
      this.sinceCleared += 1;
      if (this.sinceCleared % 2 === 0) return false;
    }
    return !this.pressured();
  }

  private clear(): void {
    this.on = false;
    this.clearedAt = this.now;
    this.sinceCleared = 0;
  }
}

describe("EMABackpressureDetector", () => {
  it("behaves as the rules say in any order of completions, pauses and stores", () => {
    fc.assert(
      fc.property(options, fc.array(step, { maxLength: 120 }), (o, steps) => {
        const clock = new SetClock();
        clock.time = 0;
        const detector = emaDetector(clock, o);
        const model = new Model(o);
        let refused = 0;
        const complete = (sample: number) => {
          detector.onStoreCompleted(sample * 3, 3 * MIB);
          model.complete(sample);
        };
        for (const s of steps) {
          // Two ways to round may fall on two sides of a mark: such a history proves nothing.
          fc.pre([o.lowWaterS, o.highWaterS].every((mark) => Math.abs(model.ema - mark) > 1e-12));
          if (s === "ask") expect(detector.isUnderPressure()).toBe(model.pressured());
          else if (s === "calm") for (let i = 0; i < 10; i++) complete(o.lowWaterS / 10);
          else if (s === "store") {
            const goesAhead = model.store();
            expect(detector.shouldStore(2)).toBe(goesAhead);
            if (!goesAhead) refused += 1;
          } else if ("wait" in s) clock.time = model.now += s.wait;
          else complete(s.complete);
          expect(detector.isHealthy()).toBe(model.healthy());
          expect(detector.storeLatencyEma).toBeCloseTo(model.ema, 10);
        }
        expect(detector.policy.popStoresDropped()).toEqual({ stores: refused, blocks: 2 * refused });
      }),
      { numRuns: 500 },
    );
  });
});
