import type { ConfigProblem } from "../errors/kv-tier-error.js";
import { joinPath } from "./config-path.js";
import { snakeCase } from "./spelling.js";

/** An option as the caller gave it. */
export interface GivenOption {
  /** In the caller's spelling. */
  readonly key: string;
  readonly value: unknown;
}

export interface TakenKeys {
  /** By name in camelCase; an explicit `undefined` counts as left out. */
  readonly given: ReadonlyMap<string, GivenOption>;
  /** All other own keys, symbols included, in the caller's order. */
  readonly rest: readonly PropertyKey[];
}

/**
 * Finds the options `names` (camelCase) among the own keys of `raw`, in either spelling. Inherited keys are never seen.
 * Both spellings of one option at once is a problem.
 */
export function takeKeys(raw: object, names: Iterable<string>, path: string, problems: ConfigProblem[]): TakenKeys {
  const nameOf = new Map<PropertyKey, string>();
  for (const name of names) nameOf.set(name, name).set(snakeCase(name), name);
  const given = new Map<string, GivenOption>();
  const rest: PropertyKey[] = [];
  for (const key of Reflect.ownKeys(raw)) {
    const name = nameOf.get(key);
    if (typeof key === "symbol" || name === undefined) {
      rest.push(key);
      continue;
    }
    const value: unknown = Reflect.get(raw, key);
    if (value === undefined) continue;
    const earlier = given.get(name);
    if (earlier === undefined) given.set(name, { key, value });
    else problems.push({ path: joinPath(path, key), message: `given twice, as ${earlier.key} and as ${key}` });
  }
  return { given, rest };
}
