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
 * @param alternatives exports of the same module that would pass, for the error message
 * @throws KvTierError with the shape's code, naming every missing member.
 */
export function assertClass(
  shape: Shape,
  what: string,
  value: unknown,
  alternatives: readonly string[] = [],
): AnyClass {
  if (!isClass(value)) throw notAComponent(shape.code, what, shape.base, null, alternatives);
  assertMembers(shape, what, value.prototype as object, alternatives);
  return value;
}

/** As {@link assertClass}, for tiers: those on `BlockStoreTier` have its three methods too. */
export function assertTierClass(what: string, value: unknown, alternatives: readonly string[] = []): AnyClass {
  const target = assertClass(TIER_SHAPE, what, value, alternatives);
  const prototype = target.prototype as object;
  if (isOnBlockStore(prototype)) assertMembers(BLOCK_STORE_SHAPE, what, prototype, alternatives);
  return target;
}

/** Whether {@link assertTierClass} lets `value` pass. */
export function isTierClass(value: unknown): boolean {
  if (!isClass(value)) return false;
  const prototype = value.prototype as object;
  const shapes = isOnBlockStore(prototype) ? [TIER_SHAPE, BLOCK_STORE_SHAPE] : [TIER_SHAPE];
  return shapes.every((shape) => missingIn(shape, prototype).length === 0);
}

/** As {@link assertClass}, for an instance that a binding delivered. */
export function assertInstance<T>(shape: Shape, what: string, value: unknown): T {
  if (typeof value !== "object" || value === null) throw notAComponent(shape.code, what, shape.base, shape.members);
  assertMembers(shape, what, value);
  return value as T;
}

function assertMembers(shape: Shape, what: string, target: object, alternatives: readonly string[] = []): void {
  const missing = missingIn(shape, target);
  if (missing.length > 0) throw notAComponent(shape.code, what, shape.base, missing, alternatives);
}

const isClass = (value: unknown): value is AnyClass =>
  typeof value === "function" && typeof value.prototype === "object" && value.prototype !== null;

const missingIn = ({ members }: Shape, target: object): string[] => members.filter((name) => !hasMethod(target, name));

const isOnBlockStore = (prototype: object): boolean => BLOCK_STORE_MARKS.every((name) => hasMethod(prototype, name));

const hasMethod = (target: object, name: string): boolean => typeof Reflect.get(target, name) === "function";
