import { Count, Fraction, Seconds } from "../config/number-options.js";
import { optionRule } from "../config/option-rule.js";
import { NotAbove } from "../config/order-options.js";

const isFinite = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);

/**
 * Options of `EMABackpressureDetector`. The two marks have no default here: the detector's `defaultConfig` gives them,
 * by the tier's type and locality.
 */
export class EMABackpressureConfig {
  /** s/MiB, above 0. An average above this puts the tier under pressure. */
  @Seconds()
  readonly highWaterS!: number;

  /** s/MiB, 0 to `highWaterS`. Only an average below this clears the pressure; with 0 nothing but a reset does. */
  @Seconds({ zero: true })
  @NotAbove("highWaterS")
  readonly lowWaterS!: number;

  /** Weight of a new sample, above 0 to 1: small values smooth, 1 follows the last sample. */
  @Fraction()
  readonly alpha: number = 0.3;

  /** Completions whose mean starts the average; until then there is no pressure. 0: it starts from 0. */
  @Count({ min: 0 })
  readonly warmupCompletions: number = 3;

  /** Seconds in which the average halves while the tier is under pressure and nothing completes; 0 or less: never. */
  @optionRule("halfLife", isFinite, () => "must be a number of seconds")
  readonly decayHalfLifeS: number = 2;

  /** Seconds after the pressure cleared in which every second store is still refused; 0: none. */
  @Seconds({ zero: true })
  readonly cooldownS: number = 1;
}
