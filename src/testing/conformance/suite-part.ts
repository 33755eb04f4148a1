import type { SuiteRunner } from "./suite-runner.js";
import type { TierRig } from "./tier-rig.js";

/** One part of the suite. `test` gives its body a fresh tier. */
export type SuitePart = (
  test: (name: string, body: (rig: TierRig) => Promise<void>) => void,
  expect: SuiteRunner["expect"],
) => void;
