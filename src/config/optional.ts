import { ValidateIf } from "class-validator";

/** The option may be left out. Unlike class-validator's `@IsOptional()`, `null` does not count as left out. */
export function Optional(): PropertyDecorator {
  return ValidateIf((_config, value) => value !== undefined);
}
