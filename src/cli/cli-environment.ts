import type { Clock } from "../contracts/clock.js";

/** All that a command knows of the process it runs in. */
export interface CliEnvironment {
  /** Writes to standard output, where only results go. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
  /** Standard error when it is a terminal, else `null`: progress is for people. */
  readonly terminal: NodeJS.WritableStream | null;
  readonly clock: Clock;
  /** A name that nobody else in the world has. */
  readonly uniqueId: () => string;
  /** Value of an environment variable. */
  readonly variable: (name: string) => string | undefined;
  /** Resolves at Ctrl-C or SIGTERM, the first of which no longer ends the process by itself once this was called. */
  readonly interrupted: () => Promise<void>;
}
