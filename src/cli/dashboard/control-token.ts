import { MIN_TOKEN_LENGTH } from "../../dashboard/bearer-token.js";
import type { CliEnvironment } from "../cli-environment.js";
import { CliError } from "../cli-error.js";
import { ExitCode } from "../exit-code.js";

/**
 * The token for the page's control, from an environment variable: what stands on the command line, every user of the
 * machine can read.
 *
 * @param name of the variable; absent: there is no control
 * @returns `""` for none
 * @throws CliError when the variable is not set, or too short
 */
export function controlToken(name: string | undefined, { variable }: CliEnvironment): string {
  if (name === undefined) return "";
  const token = variable(name) ?? "";
  if (token.length >= MIN_TOKEN_LENGTH) return token;
  const fault = token === "" ? "is not set" : `has fewer than ${MIN_TOKEN_LENGTH} characters`;
  throw new CliError(ExitCode.Usage, `The environment variable ${name}, which --token-env names, ${fault}.`);
}
