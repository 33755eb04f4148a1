import { optionRule } from "../config/option-rule.js";

const isPositive = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value) && value > 0;

/** Options of `ThrottledDropPolicy`. */
export class ThrottledDropConfig {
  /** Overshoot at which every store is dropped, above 0: with 2, a latency of three times the high mark. */
  @optionRule("rampFactor", isPositive, () => "must be a positive number")
  readonly rampFactor: number = 2;
}
