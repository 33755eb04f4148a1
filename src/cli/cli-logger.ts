import { redact } from "../config/redact.js";
import type { Logger, LogMethod } from "../contracts/logger.js";
import { reasonOf } from "../errors/factory-errors.js";

/** A logger that hands warnings and errors on, each as one line without stacks, and drops the rest. */
export function lineLogger(write: (line: string) => void): Logger {
  const line: LogMethod = (message, fields = {}) =>
    write([message, ...Object.entries(fields).map(fieldText)].join(" "));
  const nowhere = (): void => {};
  return { debug: nowhere, info: nowhere, warn: line, error: line };
}

function fieldText([name, value]: [string, unknown]): string {
  if (value instanceof Error) return `(${name}: ${reasonOf(value)})`;
  // The name goes along: it is what tells a secret.
  const shown: unknown = Object.values(redact({ [name]: value }) as object)[0];
  return `(${name}: ${typeof shown === "string" ? shown : JSON.stringify(shown)})`;
}
