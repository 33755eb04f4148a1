import type { ValidationError } from "class-validator";
import type { ConfigProblem } from "../errors/kv-tier-error.js";
import { describeValue, kindOf } from "./describe-value.js";
import type { OptionScope } from "./option-scope.js";
import { redactText } from "../errors/secrets.js";
import { UNSHOWN } from "./option-rule.js";
import { snakeCase } from "./spelling.js";

/** Turns class-validator's tree into problems: the caller's paths, messages that read on after a path, no secret. */
export function optionProblems(errors: readonly ValidationError[], scope: OptionScope): ConfigProblem[] {
  return errors.flatMap((error) => {
    const field = scope.field(error.property);
    if (field.reported) return [];
    const faults = Object.values(error.constraints ?? {});
    const own = faults.length === 0 ? [] : [{ path: field.path, message: messageFor(faults, error, field) }];
    return [...own, ...optionProblems(error.children ?? [], field)];
  });
}

function messageFor(faults: readonly string[], error: ValidationError, field: OptionScope): string {
  const value: unknown = error.value;
  const rules = faults.map((fault) => ruleText(fault, error.property, field.secret ? value : undefined)).join(", ");
  if (value === undefined) return `is missing; ${/^(?:must|should) /.test(rules) ? "it " : ""}${rules}`;
  const written = field.written ?? value;
  const isSecret = field.secret || UNSHOWN in (error.constraints ?? {});
  return `${rules}; got ${isSecret ? kindOf(written) : describeValue(written)}`;
}

/** `nReadThreads must be an integer number` → `must be an integer number`. */
function ruleText(fault: string, property: string, secret: unknown): string {
  if (mentions(fault, secret)) return "must be valid";
  const rule = withoutPrefix(fault.replace(`each value in ${property} `, "each value "), `${property} `);
  return redactText(
    rule
      .split(" ")
      .map((word) => (word === property ? snakeCase(word) : word))
      .join(" "),
  );
}

function withoutPrefix(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

/** Whether a rule's own message repeats the secret, as `$value` in it does. */
function mentions(text: string, secret: unknown): boolean {
  if (typeof secret === "object" && secret !== null) return Object.values(secret).some((item) => mentions(text, item));
  if (typeof secret === "string") return secret !== "" && text.includes(secret);
  return typeof secret === "number" && text.includes(String(secret));
}
