import type { ValidationArguments } from "class-validator";
import { optionRule } from "../../config/option-rule.js";

/** The sizes of a log, in bytes. */
export interface LogSizes {
  readonly maxBytes?: number;
  readonly segmentBytes?: number;
}

/**
 * Goes with `@ByteSize()` on an option of a class that has both sizes.
 *
 * @param problemOf what is wrong with the option, reading on after its path; sizes that are none are left out
 */
export function SizeRule(problemOf: (sizes: LogSizes) => string | null): PropertyDecorator {
  const found = (args: ValidationArguments | undefined): string | null =>
    typeof args?.value === "number" ? problemOf(sizesIn(args.object)) : null;
  return optionRule(
    "logSize",
    (_, args) => found(args) === null,
    (args) => found(args) ?? "",
  );
}

function sizesIn(options: object): LogSizes {
  const { maxBytes, segmentBytes } = options as { maxBytes?: unknown; segmentBytes?: unknown };
  return {
    ...(typeof maxBytes === "number" && { maxBytes }),
    ...(typeof segmentBytes === "number" && { segmentBytes }),
  };
}
