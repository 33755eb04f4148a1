import type { AnyClass } from "../contracts/tier-metadata.js";
import { notAComponent } from "../errors/factory-errors.js";

/** What kvtier calls without asking first; everything else of a contract has a default. */
export interface Shape {
  readonly code: "NOT_A_TIER" | "NOT_A_DETECTOR" | "NOT_A_POLICY";
  readonly base: string;
  readonly members: readonly string[];
}

export const TIER_SHAPE: Shape = {
  code: "NOT_A_TIER",
  base: "SecondaryTierManager",
  members: ["lookup", "submitStore", "submitLoad", "getFinishedJobs", "drainJobs"],
};

/** What `BlockStoreTier` leaves to its subclasses; whatever else such a tier needs comes from the base. */
const BLOCK_STORE_SHAPE: Shape = { code: "NOT_A_TIER", base: "BlockStoreTier", members: ["exists", "write", "read"] };

/** Members that `BlockStoreTier` alone has, to know its subclasses by, also those of another copy of the package. */
const BLOCK_STORE_MARKS = ["writeBatch", "readBatch"];

/** All of `StoreDetector`'s methods: policies may call any of them. */
export const DETECTOR_SHAPE: Shape = {
  code: "NOT_A_DETECTOR",
  base: "BackpressureDetector",
  members: [
    "isUnderPressure",
    "isHealthy",
    "overshoot",
    "shouldStore",
    "update",
    "onStoreCompleted",
    "onStoreFailed",
    "reset",
  ],
};

export const POLICY_SHAPE: Shape = {
  code: "NOT_A_POLICY",
  base: "BackpressurePolicy",
  members: ["shouldStore", "onStoreSkipped", "popStoresDropped", "reset"],
};

/**
 * Checks by shape rather than by base class, so that a class built on another copy of the package passes.
 *
 * @param what who is checked, as the subject of the error message
 * @throws KvTierError with the shape's code, naming every missing member.
 */
export function assertClass(shape: Shape, what: string, value: unknown): AnyClass {
  if (typeof value !== "function" || typeof value.prototype !== "object" || value.prototype === null) {
    throw notAComponent(shape.code, what, shape.base, null);
  }
  assertMembers(shape, what, value.prototype as object);
  return value as unknown as AnyClass;
}

/** As {@link assertClass}, for tiers: those on `BlockStoreTier` have its three methods too. */
export function assertTierClass(what: string, value: unknown): AnyClass {
  const target = assertClass(TIER_SHAPE, what, value);
  const prototype = target.prototype as object;
  if (BLOCK_STORE_MARKS.every((name) => hasMethod(prototype, name))) assertMembers(BLOCK_STORE_SHAPE, what, prototype);
  return target;
}

/** As {@link assertClass}, for an instance that a binding delivered. */
export function assertInstance<T>(shape: Shape, what: string, value: unknown): T {
  if (typeof value !== "object" || value === null) throw notAComponent(shape.code, what, shape.base, shape.members);
  assertMembers(shape, what, value);
  return value as T;
}

function assertMembers(shape: Shape, what: string, target: object): void {
  const missing = shape.members.filter((name) => !hasMethod(target, name));
  if (missing.length > 0) throw notAComponent(shape.code, what, shape.base, missing);
}

const hasMethod = (target: object, name: string): boolean => typeof Reflect.get(target, name) === "function";
