export type LogMethod = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** Where kvtier reports what it does. Fields never hold a secret or the content of a block. */
export interface Logger {
  debug: LogMethod;
  info: LogMethod;
  warn: LogMethod;
  error: LogMethod;
}

const print =
  (write: (...parts: unknown[]) => void): LogMethod =>
  (message, fields) =>
    fields === undefined ? write(`kvtier: ${message}`) : write(`kvtier: ${message}`, fields);

/** The default: warnings and errors on standard error, the rest nowhere. */
export const consoleLogger: Logger = Object.freeze({
  debug: () => {},
  info: () => {},
  warn: print((...parts) => console.warn(...parts)),
  error: print((...parts) => console.error(...parts)),
});

export const silentLogger: Logger = Object.freeze({
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
});

/**
 * `logger`, made safe to call from anywhere: a line that it throws at, or rejects, is lost and nothing else. Its methods
 * are looked up at each call, so that one that is replaced later serves.
 */
export function safeLogger(logger: Logger): Logger {
  const safe =
    (level: keyof Logger): LogMethod =>
    (...line) => {
      try {
        const answer: unknown = logger[level](...line);
        if (answer instanceof Promise) answer.catch(() => {});
      } catch {
        // There is nowhere left to report it.
      }
    };
  return Object.freeze({ debug: safe("debug"), info: safe("info"), warn: safe("warn"), error: safe("error") });
}
