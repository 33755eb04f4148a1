import { POLICY_METADATA, type AnyClass } from "../contracts/tier-metadata.js";
import { decorateComponent, type ComponentOptions } from "./decorate-component.js";

/**
 * Declares a backpressure policy: injectable, known as `name`, with its options read as `options.config` says.
 * The class extends `BackpressurePolicy`; without a constructor it inherits its injection.
 *
 * @throws KvTierError `INVALID_STATE` when `@injectable()` stands on the class too.
 */
export function Policy(name: string, options: ComponentOptions = {}) {
  return (target: AnyClass): void => {
    decorateComponent("@Policy", POLICY_METADATA, target, { name, config: options.config ?? null });
  };
}
