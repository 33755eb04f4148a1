import type { Logger } from "../../src/contracts/logger.js";

export interface LogLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** A logger that keeps every line, and the lines. */
export function recordingLogger(): { logger: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const keep =
    (level: keyof Logger) =>
    (message: string, fields?: Readonly<Record<string, unknown>>): void =>
      void lines.push({ level, message, fields });
  return {
    logger: { debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") },
    lines,
  };
}
