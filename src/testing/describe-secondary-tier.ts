import { lifecycleTests } from "./conformance/lifecycle-tests.js";
import { lookupTests } from "./conformance/lookup-tests.js";
import type { SuitePart } from "./conformance/suite-part.js";
import type { SuiteRunner } from "./conformance/suite-runner.js";
import type { MakeTier } from "./conformance/tier-env.js";
import { TierRig } from "./conformance/tier-rig.js";
import { transferTests } from "./conformance/transfer-tests.js";

const PARTS: Readonly<Record<string, SuitePart>> = {
  transfers: transferTests,
  "look-ups": lookupTests,
  "life cycle": lifecycleTests,
};

/**
 * Declares the conformance suite: what every secondary tier must do, checked through its contract alone. Every built-in
 * tier passes it. Each test builds a tier of its own, and waits for it in real time, for some seconds at most.
 *
 * @param name names the tier in the report
 * @param makeTier builds an empty tier for one test; see {@link MakeTier}
 * @param runner the functions of the test runner: `{ describe, it, expect }`
 */
export function describeSecondaryTier(name: string, makeTier: MakeTier, { describe, it, expect }: SuiteRunner): void {
  describe(`${name} as a secondary tier`, () => {
    for (const [part, declareTests] of Object.entries(PARTS)) {
      describe(part, () => {
        declareTests((test, body) => void it(test, () => TierRig.use(makeTier, body)), expect);
      });
    }
  });
}
