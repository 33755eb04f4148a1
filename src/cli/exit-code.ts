/** What a command's exit code says. */
export const ExitCode = {
  Ok: 0,
  /** A check failed: a wrong byte, a tier that does not work, a bad line in a trace. */
  CheckFailed: 1,
  /** Unknown command or option, or an input that cannot be read. */
  Usage: 2,
  /** A config that cannot be read, or is invalid. */
  Config: 3,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
