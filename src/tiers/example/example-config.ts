import { IsInt } from "class-validator";
import { Count } from "../../config/number-options.js";

/** Options of the `example` tier. */
export class ExampleConfig {
  /** Blocks to keep, at least 1; beyond that the least recently used is dropped. Left out: no bound. */
  @Count({ optional: true })
  capacityBlocks?: number;

  /** Does nothing but appear in the log when the tier starts, as upstream's (vLLM's) does. */
  @IsInt({ message: "must be an integer" })
  customParam = 0;
}
