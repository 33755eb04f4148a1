import { optionRule, type OptionRuleOptions } from "./option-rule.js";

export interface TextOptions extends OptionRuleOptions {
  /** Whether `""` is allowed. */
  readonly empty?: boolean;
}

/** A string. */
export function Text({ empty = false, optional }: TextOptions = {}): PropertyDecorator {
  const holds = (value: unknown): boolean => typeof value === "string" && (empty || value !== "");
  return optionRule("text", holds, () => `must be a ${empty ? "" : "non-empty "}string`, optional);
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
