import { isPlainObject } from "./plain-data.js";

/**
 * Freezes arrays and plain objects at every depth. Instances of classes are left alone: they may be live, and somebody
 * else's.
 *
 * @param ours which instances to freeze as well
 */
export function freezeDeep<T>(value: T, ours: (instance: object) => boolean = () => false): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (!Array.isArray(value) && !isPlainObject(value) && !ours(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) freezeDeep(item, ours);
  return value;
}
