import { plainToInstance } from "class-transformer";
import { validateSync } from "class-validator";
import type { Class, ConfigContract } from "../contracts/tier-metadata.js";
import type { ConfigProblem } from "../errors/kv-tier-error.js";
import { attempt } from "./attempt.js";
import { declaredOptions } from "./declared-options.js";
import { hideSecrets } from "./hide-secrets.js";
import { kindOf } from "./describe-value.js";
import { freezeDeep } from "./freeze-deep.js";
import { optionProblems } from "./option-problems.js";
import { OptionScope } from "./option-scope.js";
import { clonePlainData, isPlainObject } from "./plain-data.js";
import { readOptions, reportUnknown } from "./read-options.js";

/** What became of the raw options. */
export interface ValidatedOptions {
  /** Frozen at every depth; `undefined` when there are problems. */
  readonly value: unknown;
  /** Every fault, not only the first. */
  readonly problems: readonly ConfigProblem[];
}

/**
 * Reads raw options as `contract` says. Never throws, never changes or keeps the caller's object.
 *
 * A config class: keys in snake_case or camelCase, no unknown key at any depth, no conversion but that of the class's own
 * decorators, `undefined` = left out, `null` refused; the value is an instance. `"passthrough"`: a null-prototype copy;
 * functions and class instances in it are kept by identity, `__proto__`, `constructor` and `prototype` refused.
 * `null`: any key is a problem, the value is an empty object.
 *
 * @param raw the options; `undefined` is read as `{}`
 * @param path what the paths of the problems start with; `""` at the root
 * @param siblings further keys, in snake_case, that are read elsewhere and may be what a misspelt key meant
 */
export function validateOptions(
  contract: ConfigContract,
  raw: unknown,
  path: string,
  siblings: readonly string[] = [],
): ValidatedOptions {
  const problems: ConfigProblem[] = [];
  const value = attempt(() => read(contract, raw === undefined ? {} : raw, path, problems, siblings), path, problems);
  return { value: problems.length === 0 ? value : undefined, problems };
}

function read(
  contract: ConfigContract,
  raw: unknown,
  path: string,
  problems: ConfigProblem[],
  siblings: readonly string[],
): object | undefined {
  if (!isPlainObject(raw)) {
    problems.push({ path, message: `must be an object; got ${kindOf(raw)}` });
    return undefined;
  }
  if (contract === "passthrough") {
    return freezeDeep(Object.assign(Object.create(null) as object, clonePlainData(raw, path, "keep", problems)));
  }
  if (contract === null) {
    reportUnknown(Reflect.ownKeys(raw), siblings, path, problems);
    return Object.freeze(Object.create(null) as object);
  }
  return readInstance(contract, raw, path, problems, siblings);
}

function readInstance(
  target: Class,
  raw: Record<PropertyKey, unknown>,
  path: string,
  problems: ConfigProblem[],
  siblings: readonly string[],
): object {
  const scope = new OptionScope(path);
  const plain = readOptions(target, raw, scope, problems, siblings);
  const instance = plainToInstance(target as new () => object, plain, { enableImplicitConversion: false });
  // Unknown keys are found above: class-validator's whitelist misses inherited names and rejects undecorated fields.
  const errors = validateSync(instance, { forbidUnknownValues: false, validationError: { target: false } });
  problems.push(...optionProblems(errors, scope));
  hideSecretsIn(instance);
  return freezeDeep(instance, (nested) => declaredOptions(nested.constructor).size > 0 || nested === instance);
}

/** In an instance, and those that it holds: each may be printed by itself. */
function hideSecretsIn(instance: object): void {
  hideSecrets(instance);
  for (const nested of Object.values(instance) as unknown[]) {
    if (typeof nested === "object" && nested !== null && declaredOptions(nested.constructor).size > 0)
      hideSecretsIn(nested);
  }
}
