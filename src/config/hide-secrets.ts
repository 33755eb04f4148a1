import { inspect } from "node:util";
import { redact } from "./redact.js";

/** Lets whoever prints `options` see them without their secrets: by `console.log`, `util.inspect` or `JSON.stringify`. */
export function hideSecrets(options: object): void {
  const shown = (): unknown => redact(options);
  for (const name of ["toJSON", inspect.custom]) Object.defineProperty(options, name, { value: shown });
}
