import { DropStorePolicy } from "../backpressure/drop-store-policy.js";
import { EMABackpressureDetector } from "../backpressure/ema-backpressure-detector.js";
import { ThrottledDropPolicy } from "../backpressure/throttled-drop-policy.js";
import type { AnyClass } from "../contracts/tier-metadata.js";
import { ExampleTier } from "../tiers/example/example-tier.js";
import { FsTier } from "../tiers/fs/fs-tier.js";
import { LogTier } from "../tiers/log/log-tier.js";
import { ObjTier } from "../tiers/obj/obj-tier.js";
import { RedisTier } from "../tiers/redis/redis-tier.js";
import { CPUOffloadingSpec, TieringOffloadingSpec } from "./offloading-specs.js";

/** What kvtier brings along. The classes are bound as they are; clients and workers load when a tier initializes. */
export const BUILT_IN_TIERS: readonly AnyClass[] = [ExampleTier, FsTier, LogTier, ObjTier, RedisTier];
export const BUILT_IN_DETECTORS: readonly AnyClass[] = [EMABackpressureDetector];
export const BUILT_IN_POLICIES: readonly AnyClass[] = [DropStorePolicy, ThrottledDropPolicy];
export const BUILT_IN_SPECS: readonly (readonly [name: string, target: AnyClass])[] = [
  ["CPUOffloadingSpec", CPUOffloadingSpec],
  ["TieringOffloadingSpec", TieringOffloadingSpec],
];

/** The policy of a detector whose `backpressure` block names none. */
export const DEFAULT_POLICY = "ThrottledDropPolicy";
