import { Transform } from "class-transformer";
import { BYTE_SIZE_FORM, byteSizeOf, formatByteSize } from "./byte-size.js";
import { optionRule, type OptionRuleOptions } from "./option-rule.js";

export interface ByteSizeOptions extends OptionRuleOptions {
  /** Smallest size allowed, in bytes; 1 by default. */
  readonly min?: number;
}

/** A size: a whole number of bytes or a string such as `"4GiB"`; the field holds the number of bytes. */
export function ByteSize({ min = 1, optional }: ByteSizeOptions = {}): PropertyDecorator {
  const form = min === 0 ? BYTE_SIZE_FORM : `${BYTE_SIZE_FORM}, at least ${formatByteSize(min)}`;
  const rule = optionRule(
    "byteSize",
    (value) => (byteSizeOf(value) ?? -1) >= min,
    () => `must be ${form}`,
    optional,
  );
  // What is no size stays as it is, for the rule to refuse.
  const toBytes = Transform(({ value }: { value: unknown }) => byteSizeOf(value) ?? value, { toClassOnly: true });
  return (target, property) => {
    toBytes(target, property);
    rule(target, property);
  };
}
