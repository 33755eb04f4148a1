import "reflect-metadata";

export type { SuiteExpectation, SuiteRunner } from "./conformance/suite-runner.js";
export type { MakeTier, TierEnv } from "./conformance/tier-env.js";
export type { DiskCall, DiskError, DiskErrorCode, DiskFault, FaultTrigger, Hang, ShortTransfer } from "./disk-fault.js";
export type { FaultOptions } from "./faulty-tier.js";
export type { TestTiering } from "./create-test-tiering.js";
export type { HeldJob, ReleaseOptions } from "./held-tier.js";

export { createTestSpec } from "./create-test-spec.js";
export { createTestTiering } from "./create-test-tiering.js";
export { createTierContext } from "./create-tier-context.js";
export { describeSecondaryTier } from "./describe-secondary-tier.js";
export { FaultyDisk } from "./faulty-disk.js";
export { FaultyTier } from "./faulty-tier.js";
export { HeldTier } from "./held-tier.js";
export { ManualClock } from "./manual-clock.js";
export { rebindTier } from "./rebind-tier.js";
