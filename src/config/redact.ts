import { isPrototypeKey, MAX_DEPTH } from "./plain-data.js";
import { isSecretKey, REDACTED, redactText } from "../errors/secrets.js";
import { kindOf } from "./describe-value.js";

/**
 * A copy of `value` that may be logged or dumped as JSON: values under secret-looking keys and credentials in URLs are
 * replaced by `[redacted]`, cycles by `[circular]`, and what is no data by what it is. Unset secrets (`""`, `null`) and
 * booleans stay, since whether one is set is no secret.
 */
export function redact(value: unknown): unknown {
  return redactValue(value, new Set());
}

function redactValue(value: unknown, parents: Set<object>): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
  if (typeof value !== "object" || value === null) return value;
  if (parents.has(value)) return "[circular]";
  if (parents.size > MAX_DEPTH) return "[too deep]";
  parents.add(value);
  const copy = Array.isArray(value)
    ? Array.from(value, (item) => redactValue(item, parents))
    : redactObject(value, parents);
  parents.delete(value);
  return copy;
}

function redactObject(value: object, parents: Set<object>): unknown {
  if (value instanceof Date) return value.toJSON();
  if (value instanceof URL) return redactText(value.href);
  if (ArrayBuffer.isView(value) || value instanceof Map || value instanceof Set) return `[${kindOf(value)}]`;
  const copy: Record<string, unknown> = {};
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if (isPrototypeKey(key) || property.enumerable !== true) continue;
    // A getter is code, and may throw: it is not run for a log line.
    const item: unknown = "value" in property ? property.value : "[getter]";
    copy[key] = isSecretKey(key) && isSecretValue(item) ? REDACTED : redactValue(item, parents);
  }
  return copy;
}

function isSecretValue(value: unknown): boolean {
  return value != null && value !== "" && typeof value !== "boolean";
}
