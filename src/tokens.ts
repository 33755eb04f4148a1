/**
 * String tokens under which kvtier binds and resolves its services. The prefix `kv.` is reserved for kvtier.
 *
 * The tokens of the second block have a value only while one tier (or its detector) is created: each tier gets its own.
 */
export const TOKENS = {
  primaryKvView: "kv.primary-view",
  offloadingSpec: "kv.offloading-spec",
  tierFactory: "kv.tier-factory",
  specFactory: "kv.spec-factory",
  tieringManager: "kv.tiering-manager",
  kvCache: "kv.cache",
  clock: "kv.clock",
  logger: "kv.logger",
  importer: "kv.importer",

  tierType: "kv.tier-type",
  tierConfig: "kv.tier-config",
  tierContext: "kv.tier-context",
  backpressureDetector: "kv.backpressure-detector",
  detectorConfig: "kv.detector-config",
  policyConfig: "kv.policy-config",
  backpressurePolicy: "kv.backpressure-policy",
  tieringConfig: "kv.tiering-config",
} as const;

/** Token of the tier class that serves `type`. */
export const tierToken = (type: string): string => `kv.tier:${type}`;

/** Token of the backpressure detector class called `name`. */
export const detectorToken = (name: string): string => `kv.detector:${name}`;

/** Token of the backpressure policy class called `name`. */
export const policyToken = (name: string): string => `kv.policy:${name}`;

/** Token of the offloading spec class called `name`. */
export const specToken = (name: string): string => `kv.spec:${name}`;
