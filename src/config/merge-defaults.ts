import type { ConfigContract } from "../contracts/tier-metadata.js";
import { declaredOptions } from "./declared-options.js";
import { camelCase, snakeCase } from "./spelling.js";

/**
 * `options` with `defaults` for the keys that were left out, each default on its own, in a new null-prototype object.
 * A key given in either spelling counts; an explicit `undefined` counts as left out.
 *
 * A config class gets only the defaults that it declares, under their snake_case keys: a detector may inherit the
 * defaults of a base with other options. Without options (`null`) there is nothing to fill in.
 */
export function mergeDefaults(
  contract: ConfigContract,
  defaults: Readonly<Record<string, unknown>>,
  options: Readonly<Record<PropertyKey, unknown>>,
): Record<PropertyKey, unknown> {
  const merged = Object.assign(Object.create(null) as Record<PropertyKey, unknown>, options);
  if (contract === null) return merged;
  const declared = contract === "passthrough" ? null : declaredOptions(contract);
  for (const [key, value] of Object.entries(defaults)) {
    const spellings = [key, snakeCase(key), camelCase(key)];
    if (value === undefined || spellings.some((spelling) => merged[spelling] !== undefined)) continue;
    if (declared === null) merged[key] = value;
    else if (declared.has(camelCase(key))) merged[snakeCase(key)] = value;
  }
  return merged;
}
