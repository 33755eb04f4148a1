import type { ExitCode } from "./exit-code.js";

/** A failure that was to be expected: it is told in one message, without a stack. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: ExitCode;
  /** Further fields of the error in JSON output. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(exitCode: ExitCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.exitCode = exitCode;
    this.details = details;
  }
}
