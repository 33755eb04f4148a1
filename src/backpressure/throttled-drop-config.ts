import { IsNumberThat } from "./option-checks.js";

/** Options of `ThrottledDropPolicy`. */
export class ThrottledDropConfig {
  /** Overshoot at which every store is dropped, above 0: with 2, a latency of three times the high mark. */
  @IsNumberThat("a number above 0", (value) => value > 0)
  readonly rampFactor: number = 2;
}
