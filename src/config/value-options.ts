import type { ValidationArguments } from "class-validator";
import { optionRule, type OptionRuleOptions } from "./option-rule.js";

export interface TextOptions extends OptionRuleOptions {
  /** Whether `""` is allowed. */
  readonly empty?: boolean;
}

/** A string; one of blanks alone is no better than none. */
export function Text({ empty = false, optional }: TextOptions = {}): PropertyDecorator {
  const holds = (value: unknown): boolean => typeof value === "string" && (empty || value.trim() !== "");
  const message = (args: ValidationArguments | undefined): string =>
    typeof args?.value === "string" && args.value !== ""
      ? "must not be blank"
      : `must be a ${empty ? "" : "non-empty "}string`;
  return optionRule("text", holds, message, optional);
}

/** `true` or `false`, never a string that says so. */
export function Flag({ optional }: OptionRuleOptions = {}): PropertyDecorator {
  return optionRule(
    "flag",
    (value) => typeof value === "boolean",
    () => "must be true or false",
    optional,
  );
}

/** One of a few strings, exactly as written. */
export function OneOf(choices: readonly string[], { optional }: OptionRuleOptions = {}): PropertyDecorator {
  const holds = (value: unknown): boolean => typeof value === "string" && choices.includes(value);
  return optionRule("oneOf", holds, () => `must be one of ${choices.join(", ")}`, optional);
}
