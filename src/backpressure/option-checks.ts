import { ValidateBy, type ValidationArguments } from "class-validator";

/** A finite number for which `test` holds. `expected` completes "must be …". */
export function IsNumberThat(expected: string, test: (value: number) => boolean): PropertyDecorator {
  return ValidateBy({
    name: "isNumberThat",
    validator: {
      validate: (value) => typeof value === "number" && Number.isFinite(value) && test(value),
      defaultMessage: () => `must be ${expected}`,
    },
  });
}

/** Not above the option `other`, called `otherKey` in a config. Says nothing unless both are numbers. */
export function NotAbove(other: string, otherKey: string): PropertyDecorator {
  return ValidateBy({
    name: "notAbove",
    validator: {
      validate: (value, args) => !(numberOf(value) > numberOf(optionOf(args, other))),
      defaultMessage: (args) => `must not be above ${otherKey} (${String(optionOf(args, other))})`,
    },
  });
}

function optionOf(args: ValidationArguments | undefined, name: string): unknown {
  return args && (args.object as Record<string, unknown>)[name];
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : NaN;
}
