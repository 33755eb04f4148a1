import type { ConfigProblem } from "../errors/kv-tier-error.js";
import { joinPath } from "./config-path.js";
import { kindOf } from "./describe-value.js";

/** Keys that reach the prototype of whatever they are copied to. */
const PROTOTYPE_KEYS: ReadonlySet<PropertyKey> = new Set(["__proto__", "constructor", "prototype"]);

/** Deeper than any config; below it lie cycles and attacks on the stack. */
export const MAX_DEPTH = 64;

/** Whether `key` must not be copied from foreign data. */
export const isPrototypeKey = (key: PropertyKey): boolean => PROTOTYPE_KEYS.has(key);

/** Whether `value` is an object as JSON makes them, from this realm or another, or one without a prototype. */
export function isPlainObject(value: unknown): value is Record<PropertyKey, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** What to do with functions and instances of classes: they are no data, and cannot be copied. */
export type LiveValues = "keep" | "reject";

/**
 * A deep copy of plain data. What cannot be copied is reported to `problems` with its path and left out.
 *
 * @param live `"keep"`: functions and class instances are handed on as they are, by identity; `"reject"`: reported
 */
export function clonePlainData(
  value: unknown,
  path: string,
  live: LiveValues,
  problems: ConfigProblem[],
  depth = 0,
): unknown {
  if (depth > MAX_DEPTH) {
    problems.push({ path, message: `must not be nested more than ${MAX_DEPTH} levels deep, or refer to itself` });
    return undefined;
  }
  if (Array.isArray(value)) {
    return Array.from(value, (item, index) => clonePlainData(item, joinPath(path, index), live, problems, depth + 1));
  }
  if (isPlainObject(value)) return clonePlainObject(value, path, live, problems, depth);
  if (live === "reject" && isLive(value)) {
    problems.push({ path, message: `must be plain data; got ${kindOf(value)}` });
    return undefined;
  }
  return value;
}

function clonePlainObject(
  value: Record<PropertyKey, unknown>,
  path: string,
  live: LiveValues,
  problems: ConfigProblem[],
  depth: number,
): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key of Reflect.ownKeys(value)) {
    const keyPath = joinPath(path, key);
    if (typeof key === "symbol" || isPrototypeKey(key)) problems.push({ path: keyPath, message: "unknown key" });
    else copy[key] = clonePlainData(value[key], keyPath, live, problems, depth + 1);
  }
  return copy;
}

function isLive(value: unknown): boolean {
  return (typeof value === "object" && value !== null) || ["function", "symbol", "bigint"].includes(typeof value);
}
