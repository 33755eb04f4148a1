import { ValidateBy, type ValidationArguments } from "class-validator";
import { Optional } from "./optional.js";

/** Every option decorator of kvtier takes this. */
export interface OptionRuleOptions {
  /** May be left out (or `undefined`), and stays `undefined` then unless the field has a default. `null` is an error. */
  readonly optional?: boolean;
}

/** Name of a rule whose values may hold credentials without looking it: no problem shows them. */
export const UNSHOWN = "unshown";

/** A field decorator from one rule. `message` reads on after a path: `must be a positive integer`. */
export function optionRule(
  name: string,
  holds: (value: unknown, args: ValidationArguments | undefined) => boolean,
  message: (args: ValidationArguments | undefined) => string,
  optional = false,
): PropertyDecorator {
  const rule = ValidateBy({ name, validator: { validate: holds, defaultMessage: message } });
  return (target, property) => {
    if (optional) Optional()(target, property);
    rule(target, property);
  };
}
