import { IsNumberThat, NotAbove } from "./option-checks.js";

/**
 * Options of `EMABackpressureDetector`. The two marks have no default here: the detector's `defaultConfig` gives them,
 * by the tier's type and locality.
 */
export class EMABackpressureConfig {
  /** s/MiB, above 0. An average above this puts the tier under pressure. */
  @IsNumberThat("a number of seconds per MiB above 0", (value) => value > 0)
  readonly highWaterS!: number;

  /** s/MiB, 0 to `highWaterS`. Only an average below this clears the pressure; with 0 nothing but a reset does. */
  @IsNumberThat("a number of seconds per MiB, 0 or more", (value) => value >= 0)
  @NotAbove("highWaterS", "high_water_s")
  readonly lowWaterS!: number;

  /** Weight of a new sample, above 0 to 1: small values smooth, 1 follows the last sample. */
  @IsNumberThat("a number above 0 and at most 1", (value) => value > 0 && value <= 1)
  readonly alpha: number = 0.3;

  /** Completions whose mean starts the average; until then there is no pressure. 0: it starts from 0. */
  @IsNumberThat("a whole number, 0 or more", (value) => Number.isInteger(value) && value >= 0)
  readonly warmupCompletions: number = 3;

  /** Seconds in which the average halves while the tier is under pressure and nothing completes; 0 or less: never. */
  @IsNumberThat("a number of seconds", () => true)
  readonly decayHalfLifeS: number = 2;

  /** Seconds after the pressure cleared in which every second store is still refused; 0: none. */
  @IsNumberThat("a number of seconds, 0 or more", (value) => value >= 0)
  readonly cooldownS: number = 1;
}
