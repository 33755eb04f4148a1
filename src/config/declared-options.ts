import { plainToInstance } from "class-transformer";
import { getMetadataStorage, ValidationTypes } from "class-validator";
import type { Class } from "../contracts/tier-metadata.js";
import { FLAG_OR_OPTIONS } from "./flag-or-options.js";

/** One field of a config class, as its decorators declare it. */
export interface DeclaredOption {
  /** May be left out without a default (`@Optional()`, `@IsOptional()`, `@ValidateIf()`). */
  optional: boolean;
  /** Holds another config class (`@ValidateNested()`): one object, or a list of them. */
  nested: "object" | "list" | null;
  /** `true` or `false` may stand for the object. */
  orFlag: boolean;
}

/** The decorated fields of `target`, inherited ones included, by name. A field without a decorator is no option. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- the type class-validator itself asks for
export function declaredOptions(target: Function): ReadonlyMap<string, DeclaredOption> {
  const options = new Map<string, DeclaredOption>();
  const lists = new Set<string>();
  for (const rule of getMetadataStorage().getTargetValidationMetadatas(target, "", false, false)) {
    const option = options.get(rule.propertyName) ?? { optional: false, nested: null, orFlag: false };
    options.set(rule.propertyName, option);
    if (rule.type === ValidationTypes.CONDITIONAL_VALIDATION) option.optional = true;
    if (rule.type === ValidationTypes.NESTED_VALIDATION) option.nested ??= "object";
    if (rule.name === FLAG_OR_OPTIONS) option.orFlag = true;
    if (rule.name === "isArray" || (rule.type === ValidationTypes.NESTED_VALIDATION && rule.each)) {
      lists.add(rule.propertyName);
    }
  }
  for (const name of lists) {
    const option = options.get(name);
    if (option?.nested === "object") option.nested = "list";
  }
  return options;
}

/**
 * The class that `@Type()` gives the field `name` of `owner` for `value`. class-transformer publishes no way to ask, so
 * this transforms an object with the value's strings alone (where a discriminator may be) and looks at what came out.
 */
export function nestedClassOf(owner: Class, name: string, value: object): Class | undefined {
  const strings = Object.entries(value).filter(([, item]) => typeof item === "string");
  const probe = plainToInstance(owner as new () => Record<string, unknown>, { [name]: Object.fromEntries(strings) });
  const made = probe[name];
  if (typeof made !== "object" || made === null) return undefined;
  return made.constructor === Object ? undefined : (made.constructor as Class);
}
