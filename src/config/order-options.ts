import type { ValidationArguments } from "class-validator";
import { optionRule } from "./option-rule.js";
import { snakeCase } from "./spelling.js";

/** The option must not be above the option `other` (a field of the same class). Looked at when both are numbers. */
export function NotAbove(other: string): PropertyDecorator {
  return orderRule("notAbove", other, "must not be above", (value, limit) => value <= limit);
}

/** The option must be below the option `other` (a field of the same class). Looked at when both are numbers. */
export function Below(other: string): PropertyDecorator {
  return orderRule("below", other, "must be below", (value, limit) => value < limit);
}

function orderRule(
  name: string,
  other: string,
  phrase: string,
  inOrder: (value: number, limit: number) => boolean,
): PropertyDecorator {
  return optionRule(
    name,
    (value, args) => {
      const limit = fieldOf(args, other);
      return typeof value !== "number" || typeof limit !== "number" || inOrder(value, limit);
    },
    (args) => `${phrase} ${snakeCase(other)} (${String(fieldOf(args, other))})`,
  );
}

function fieldOf(args: ValidationArguments | undefined, name: string): unknown {
  return args === undefined ? undefined : Reflect.get(args.object, name);
}
