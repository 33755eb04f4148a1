import { DETECTOR_METADATA, type AnyClass } from "../contracts/tier-metadata.js";
import { decorateComponent, type ComponentOptions } from "./decorate-component.js";

/**
 * Declares a backpressure detector: injectable, known as `name`, with its options read as `options.config` says.
 * The class extends `BackpressureDetector`; without a constructor it inherits its injection.
 *
 * @throws KvTierError `INVALID_STATE` when `@injectable()` stands on the class too.
 */
export function Detector(name: string, options: ComponentOptions = {}) {
  return (target: AnyClass): void => {
    decorateComponent("@Detector", DETECTOR_METADATA, target, { name, config: options.config ?? null });
  };
}
