import { describe, expect, it, jest } from "@jest/globals";
import { StepDriver } from "../../src/cache/step-driver.js";
import { recordingLogger } from "../support/recording-logger.js";
import { StepRig } from "../unit/orchestrator/step-rig.js";
import { jobOf, openStore, settle, STEP } from "../unit/tiers/shared/fake-store.js";

const SECRET = "hunter2";
const REASON = `connect ECONNREFUSED redis://admin:${SECRET}@cache.internal:6379/0?password=${SECRET}`;
const SHOWN = "connect ECONNREFUSED redis://[redacted]@cache.internal:6379/0?password=[redacted]";

const refuse = (): never => {
  throw new Error(REASON);
};

async function rejectedWith(reason: unknown): Promise<never> {
  throw reason;
}

/** The `error` of each line that has one; fails the test when any line shows the secret. */
function errorsIn(lines: readonly { readonly fields?: Readonly<Record<string, unknown>> | undefined }[]): unknown[] {
  expect(JSON.stringify(lines)).not.toContain(SECRET);
  return lines.flatMap(({ fields }) => (fields !== undefined && "error" in fields ? [fields.error] : []));
}

describe("F5: what is logged of a tier's failure shows its reason, and no secret", () => {
  it("when a transfer failed", async () => {
    const { logger, lines } = recordingLogger();
    const { tier, results } = openStore({}, { logger });
    tier.submitStore(jobOf([1]));
    tier.writes[0]?.reject(new Error(REASON));
    expect(await results()).toHaveLength(1);
    expect(errorsIn(lines)).toEqual([SHOWN]);
  });

  it.each([
    ["an Error", new Error(REASON)],
    ["a string", REASON],
    ["an object with a message", { message: REASON }],
  ])("when a look-up failed with %s", async (_kind, reason: unknown) => {
    const { logger, lines } = recordingLogger();
    const { tier } = openStore({}, { logger });
    tier.ask(1);
    tier.onScheduleEnd(STEP);
    tier.probes[0]?.answer(rejectedWith(reason));
    await settle();
    expect(errorsIn(lines)).toEqual([SHOWN]);
  });

  it("when a tier threw at a job", async () => {
    const rig = new StepRig();
    await rig.seed(1);
    rig.tier.failOnSubmit = new Error(REASON);
    rig.look(1);
    rig.step();
    expect(errorsIn(rig.log)).toEqual([SHOWN]);
  });

  it("when a tier threw at a call that wants no answer", () => {
    const rig = new StepRig();
    jest.spyOn(rig.tier, "onScheduleEnd").mockImplementation(refuse);
    rig.step();
    expect(errorsIn(rig.log)).toEqual([SHOWN]);
  });

  it("when a whole step failed", () => {
    const { logger, lines } = recordingLogger();
    const rig = new StepRig();
    jest.spyOn(rig.manager, "collectFinished").mockImplementation(refuse);
    new StepDriver(rig.manager, logger).collect();
    expect(errorsIn(lines)).toEqual([SHOWN]);
  });
});
