import { Type } from "class-transformer";
import { ValidateIf, ValidateNested } from "class-validator";
import type { Class } from "../contracts/tier-metadata.js";
import { optionRule } from "./option-rule.js";

/** By this name {@link declaredOptions} knows that a flag may stand where an object belongs. */
export const FLAG_OR_OPTIONS = "flagOrOptions";

/** An option that may be left out: `true` or `false`, or an object of the config class that `target` returns. */
export function FlagOrOptions(target: () => Class): PropertyDecorator {
  const rules = [
    ValidateIf((_config, value) => typeof value === "object"),
    ValidateNested(),
    Type(target),
    optionRule(
      FLAG_OR_OPTIONS,
      () => true,
      () => "must be true, false or an object",
    ),
  ];
  return (object, property) => rules.forEach((rule) => rule(object, property));
}
