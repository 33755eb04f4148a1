import { redact } from "../../config/redact.js";
import { snakeCase } from "../../config/spelling.js";

/** Options as they would stand in a config file, without secrets. */
export type ShownOptions = Readonly<Record<string, unknown>>;

/** Shows an instance of a config class, or plain options. */
export function shownOptions(options: unknown): ShownOptions {
  return inSnakeCase(redact(options ?? {})) as ShownOptions;
}

function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [snakeCase(key), inSnakeCase(item)]));
}
