import { optionRule, type OptionRuleOptions } from "./option-rule.js";

export interface CountOptions extends OptionRuleOptions {
  /** 1 by default. */
  readonly min?: number;
  readonly max?: number;
}

/** A number of things: a safe integer from `min` to `max`. */
export function Count({ min = 1, max = Number.MAX_SAFE_INTEGER, optional }: CountOptions = {}): PropertyDecorator {
  const holds = (value: unknown): boolean =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max;
  return optionRule("count", holds, () => `must be ${countForm(min, max)}`, optional);
}

export interface SecondsOptions extends OptionRuleOptions {
  /** Whether 0 is allowed too. */
  readonly zero?: boolean;
}

/** A duration in seconds: finite, above 0 unless `zero` allows that. The key ends in `_s`. */
export function Seconds({ zero = false, optional }: SecondsOptions = {}): PropertyDecorator {
  const holds = (value: unknown): boolean =>
    typeof value === "number" && Number.isFinite(value) && (value > 0 || (zero && value === 0));
  const sign = zero ? "non-negative" : "positive";
  return optionRule("seconds", holds, () => `must be a ${sign} number of seconds`, optional);
}

/** A share: above 0, at most 1. */
export function Fraction({ optional }: OptionRuleOptions = {}): PropertyDecorator {
  const holds = (value: unknown): boolean => typeof value === "number" && value > 0 && value <= 1;
  return optionRule("fraction", holds, () => "must be a number above 0 and at most 1", optional);
}

function countForm(min: number, max: number): string {
  if (max !== Number.MAX_SAFE_INTEGER) return `an integer from ${min} to ${max}`;
  if (min === 0) return "a non-negative integer";
  return min === 1 ? "a positive integer" : `an integer of at least ${min}`;
}
