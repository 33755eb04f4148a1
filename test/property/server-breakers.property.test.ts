import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { silentLogger } from "../../src/contracts/logger.js";
import { ManualClock } from "../../src/testing/manual-clock.js";
import { COOL_DOWN_S, FAILURES_TO_OPEN } from "../../src/tiers/remote/circuit.js";
import { OPERATIONS, type Operation } from "../../src/tiers/remote/server-breaker.js";
import { ServerBreakers } from "../../src/tiers/remote/server-breakers.js";

/** Something is asked of a server, some seconds after the step before, and goes well or not. */
interface Step {
  readonly waitS: number;
  readonly server: string;
  readonly operation: Operation;
  readonly isUp: boolean;
}

/** A step, and what became of it: `refused` never reached the server. */
interface Outcome extends Step {
  readonly at: number;
  readonly end: "refused" | "failed" | "done";
}

const step: fc.Arbitrary<Step> = fc.record({
  waitS: fc.constantFrom(0, 0, 0, 0, 1, COOL_DOWN_S / 2, COOL_DOWN_S),
  server: fc.constantFrom("a", "b", "c"),
  operation: fc.constantFrom(...OPERATIONS),
  isUp: fc.boolean(),
});
/** Times when all goes well, when nothing does, and when some operations do. */
const steps = fc
  .array(
    fc
      .record({ up: fc.subarray([...OPERATIONS]), steps: fc.array(step, { maxLength: 40 }) })
      .map(({ up, steps: part }) => part.map((one) => ({ ...one, isUp: one.isUp && up.includes(one.operation) }))),
    { maxLength: 6 },
  )
  .map((parts) => parts.flat());

async function play(given: readonly Step[]): Promise<Outcome[]> {
  const clock = new ManualClock(100);
  const parts = { tierType: "test", clock, logger: silentLogger, isAnswer: () => false };
  const breakers = await ServerBreakers.load(parts);
  const outcomes: Outcome[] = [];
  for (const one of given) {
    clock.advance(one.waitS);
    let end: Outcome["end"] = "refused";
    const act = async (): Promise<void> => {
      end = one.isUp ? "done" : "failed";
      if (!one.isUp) throw new Error("503");
    };
    const isRefused = breakers.refusalOf(one.server, one.operation) !== null;
    await breakers.run(one.server, one.operation, act, new AbortController().signal).catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    expect(end === "refused").toBe(isRefused);
    outcomes.push({ ...one, at: clock.now(), end });
  }
  return outcomes;
}

/** The failures, newest last, that no success of the same kind has followed. */
function openRow(outcomes: readonly Outcome[], server: string, operation?: Operation): Outcome[] {
  const asked = outcomes.filter(
    (one) => one.server === server && one.end !== "refused" && (operation ?? one.operation) === one.operation,
  );
  return asked.slice(asked.findLastIndex((one) => one.end === "done") + 1);
}

describe("the breakers of several servers", () => {
  it("let through no more than a row of failures, and then one try a cool-down", () =>
    fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const outcomes = await play(given);
        outcomes.forEach((one, i) => {
          if (one.end !== "failed") return;
          const before = outcomes.slice(0, i);
          for (const row of [openRow(before, one.server, one.operation), openRow(before, one.server)]) {
            const last = row.at(-1);
            if (last === undefined || row.length < FAILURES_TO_OPEN) continue;
            expect(one.at - last.at).toBeGreaterThanOrEqual(COOL_DOWN_S);
          }
        });
      }),
    ));

  it("refuse nothing without a row of failures that is not over", () =>
    fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const outcomes = await play(given);
        outcomes.forEach((one, i) => {
          if (one.end !== "refused") return;
          const before = outcomes.slice(0, i);
          const kinds = one.operation === "lookup" ? (["lookup", "load"] as const) : [one.operation];
          const rows = [openRow(before, one.server), ...kinds.map((kind) => openRow(before, one.server, kind))];
          expect(Math.max(...rows.map((row) => row.length))).toBeGreaterThanOrEqual(FAILURES_TO_OPEN);
        });
      }),
    ));

  it("do not hear of one server what another has failed", () =>
    fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const together = await play(given);
        let waited = 0;
        const onlyA: Step[] = [];
        for (const one of given) {
          waited += one.waitS;
          if (one.server !== "a") continue;
          onlyA.push({ ...one, waitS: waited });
          waited = 0;
        }
        const alone = await play(onlyA);
        expect(alone.map(({ end }) => end)).toEqual(
          together.filter(({ server }) => server === "a").map(({ end }) => end),
        );
      }),
    ));
});
